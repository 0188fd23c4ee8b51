/* SPDX-License-Identifier: MIT */
/* The plan against what ran: errors, sizes and headings. */
#include "result/findings/judge.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint64_t count(const struct iob_result *r, enum iob_count c)
{
	return r->op[IOB_OP_ALL].count[c] + r->op[IOB_OP_SYNC].count[c];
}

static void errors(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	uint64_t failed = count(r, IOB_COUNT_ERRORS), cut = count(r, IOB_COUNT_SHORT);
	if (j->view.rec && !j->view.rec->has_errors)
		iobi_unchecked(j, "the recording has no error count");
	if (!failed && !cut && !r->error)
		return;
	iobi_number(j, "failed", (double)failed);
	iobi_number(j, "short", (double)cut);
	iobi_number(j, "ios", (double)count(r, IOB_COUNT_IOS));
	if (r->error)
		iobi_number(j, "errno", r->error->code);
	iobi_raise(j,
		   "%" PRIu64 " I/Os failed and %" PRIu64 " were short, beside %" PRIu64
		   " that went well%s%s",
		   failed, cut, count(r, IOB_COUNT_IOS), r->error ? "; the first: " : "",
		   r->error ? iobi_errno_text(r->error->code) : "");
}

/* MB/s over IO/s is the size that ran, if only one did; 0: not one. */
static double size_by_rates(const struct iobi_recorded *rec, double block)
{
	double low = rec->bytes_per_s.low / rec->iops.high;
	double high = rec->bytes_per_s.high / rec->iops.low;
	/* XDISK's own rounding is off by up to 0.2 %. */
	if (isnan(low) || isnan(high) || (block >= low * 0.995 && block <= high * 1.005))
		return 0;
	return rec->bytes_per_s.value / rec->iops.value;
}

static void block_size_mismatch(struct iobi_judge *j)
{
	const struct iobi_recorded *rec = j->view.rec;
	double block = (double)j->view.block;
	if (!rec || !block)
		return;
	double by_rates = rec->counted ? 0 : size_by_rates(rec, block);
	if (rec->filed_block && rec->filed_block != j->view.block) {
		iobi_number(j, "filed", (double)rec->filed_block);
		iobi_number(j, "ran", block);
		iobi_raise(j, "filed under %s blocks, it ran %s",
			   iobi_w_bytes(j, (double)rec->filed_block), iobi_w_bytes(j, block));
	} else if (by_rates > 0) {
		iobi_number(j, "filed", block);
		iobi_number(j, "ran", by_rates);
		iobi_raise(j, "its MB/s and IO/s are those of %s blocks, it says %s",
			   iobi_w_bytes(j, by_rates), iobi_w_bytes(j, block));
	}
}

static bool filed_elsewhere(struct iobi_judge *j, const char *what, double filed, double ran)
{
	if (isnan(filed) || isnan(ran) || filed == ran)
		return false;
	iobi_number(j, "filed", filed);
	iobi_number(j, "ran", ran);
	iobi_raise(j, "filed under %s %s, it ran with %s", iobi_w_number(j, filed), what,
		   iobi_w_number(j, ran));
	return true;
}

static void heading_mismatch(struct iobi_judge *j)
{
	const struct iobi_recorded *rec = j->view.rec;
	const char *pattern = iobi_ran(j->r, "pattern");
	if (!rec)
		return;
	if (filed_elsewhere(j, "workers", rec->filed_workers ? rec->filed_workers : NAN,
			    j->view.workers) ||
	    filed_elsewhere(j, "% reads", rec->filed_read < 0 ? NAN : rec->filed_read,
			    iobi_ran_number(j->r, "read_percent")))
		return;
	if (rec->filed_pattern && pattern && (*pattern == 's') != (rec->filed_pattern == 'S'))
		iobi_raise(j, "filed under %s I/O, it ran %s",
			   rec->filed_pattern == 'S' ? "sequential" : "random", pattern);
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "errors", "plan",
	    "An I/O failed, or moved fewer bytes than asked.",
	    "Look at the error and the kernel's log; the rates are of the I/Os that went well.",
	    "12 I/Os failed and 0 were short, beside 81543 that went well; the first: EIO "
	    "(Input/output error)" },
	  IOBI_AT_WORKLOAD,
	  false,
	  errors },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "block-size-mismatch", "plan",
	    "A recorded row stands under the heading of one block size and says another, or its "
	    "MB/s "
	    "over IO/s are not its block size.",
	    "Do not compare it with the rows it stands among; measure it again with the right "
	    "size.",
	    "filed under 16 KiB blocks, it ran 8 KiB" },
	  IOBI_AT_WORKLOAD,
	  false,
	  block_size_mismatch },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "heading-mismatch", "plan",
	    "A recorded row stands under the heading of another number of workers, share of reads "
	    "or "
	    "pattern than it says.",
	    "Do not compare it with the rows it stands among.",
	    "filed under 16 workers, it ran with 1" },
	  IOBI_AT_WORKLOAD,
	  false,
	  heading_mismatch },
};

const struct iobi_family iobi_plan_rules = { rules, IOBI_LEN(rules) };
