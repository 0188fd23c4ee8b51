/* SPDX-License-Identifier: MIT */
/* What a run says its devices did, against the kernel's own counters, on devices
 * that nobody else uses. */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Whoever may overwrite signatures does not read them before. */
enum {
	DESTROY = IOB_TARGET_ALLOW_DESTROY | IOB_TARGET_OVERWRITE_SIGNATURE
};

static struct dev loop;

struct stat_line {
	unsigned long long v[17];
	int n;
};

static struct stat_line read_stat(const char *device)
{
	struct stat_line s = { .n = 0 };
	char path[300];
	snprintf(path, sizeof(path), "/sys/class/block/%.200s/stat", device + strlen("/dev/"));
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (s.n < 17 && fscanf(f, "%llu", &s.v[s.n]) == 1)
		s.n++;
	fclose(f);
	ck_assert_int_ge(s.n, 15);
	return s;
}

static unsigned long long since(const struct stat_line *a, const struct stat_line *b, int field)
{
	return b->v[field] - a->v[field];
}

static void agree(const struct iob_device_use *u, const struct stat_line *a,
		  const struct stat_line *b)
{
	static const int first[] = { [IOB_OP_READ] = 0, [IOB_OP_WRITE] = 4, [IOB_OP_TRIM] = 11 };
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		ck_assert_uint_eq(u->op[op].ios, since(a, b, first[op]));
		ck_assert_uint_eq(u->op[op].merges, since(a, b, first[op] + 1));
		ck_assert_uint_eq(u->op[op].bytes, 512 * since(a, b, first[op] + 2));
		ck_assert_uint_eq(u->op[op].ticks_ms, since(a, b, first[op] + 3));
	}
	if (b->n == 17)
		ck_assert_uint_eq(u->op[IOB_OP_SYNC].ios, since(a, b, 15));
}

static const struct iob_device_use *device(const struct iob_result *r, const char *path)
{
	for (size_t i = 0; i < iob_result_device_count(r); i++)
		if (!strcmp(iob_result_device(r, i)->name, path + strlen("/dev/")))
			return iob_result_device(r, i);
	ck_abort_msg("%s is not there", path);
	return NULL;
}

static struct iob_result *run_one(const char *parameters, const char *path, unsigned flags)
{
	struct iob_result *r = work_run(parameters, path, flags);
	ck_assert_uint_eq(iob_result_flags(r) & IOB_RESULT_ERRORS, 0);
	return r;
}

static int gather(void *user, const char *data, size_t len)
{
	char *text = user;
	size_t have = strlen(text);
	ck_assert_uint_lt(have + len, 65536);
	memcpy(text + have, data, len);
	text[have + len] = '\0';
	return 0;
}

/* "1,234" */
static void with_commas(char *to, unsigned long long v)
{
	char digits[32];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%llu", v), k = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			to[k++] = ',';
		to[k++] = digits[i];
	}
	to[k] = '\0';
}

/* The row of the device in the text report has the kernel's own numbers. */
static void text_agrees(const struct iob_result *r, const char *device_path,
			const struct stat_line *a, const struct stat_line *b)
{
	static const int fields[] = { 0, 4, 11, 15 };
	static char text[65536];
	char name[300], number[64];
	text[0] = '\0';
	ck_assert_int_eq(iob_result_report(r, "text", gather, text, NULL), 0);
	snprintf(name, sizeof(name), "\n  %.200s ", device_path + strlen("/dev/"));
	char *row = strstr(strstr(text, "\ndevices  "), name);
	ck_assert_msg(row != NULL, "no row of%s", name);
	*strchrnul(row + 1, '\n') = '\0';
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		number[0] = ' ';
		with_commas(number + 1, since(a, b, fields[i]));
		strcat(number, " ");
		if (since(a, b, fields[i]))
			ck_assert_msg(strstr(row, number) != NULL, "no%sin \"%s\"", number, row);
	}
}

/* Reads, writes, trims and flushes of one run, to the unit. */
START_TEST(to_the_unit)
{
	static const char *const runs[] = {
		"engine=io_uring block_size=8k queue_depth=8 io_size=16m runtime=0",
		"engine=libaio block_size=64k queue_depth=4 io_size=32m runtime=0 read_percent=50 "
		"pattern=sequential",
		"engine=psync block_size=4k io_size=2m runtime=0 read_percent=0 fsync_every=16",
		"engine=psync block_size=1m io_size=8m runtime=0 trim_percent=50 read_percent=0",
		"engine=io_uring block_size=4k queue_depth=16 workers=4 runtime=300ms",
	};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct stat_line before = read_stat(loop.path);
		struct iob_result *r = run_one(runs[i], loop.path, DESTROY);
		struct stat_line after = read_stat(loop.path);
		const struct iob_device_use *u = device(r, loop.path);
		agree(u, &before, &after);
		text_agrees(r, loop.path, &before, &after);
		ck_assert_uint_eq(u->flags & IOB_DEVICE_TARGET, IOB_DEVICE_TARGET);
		ck_assert_uint_eq(u->flags & IOB_DEVICE_NO_COUNTERS, 0);
		ck_assert_int_eq(u->foreign_bytes, 0);
		ck_assert_uint_eq(u->op[IOB_OP_ALL].issued_ios,
				  iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS));
		ck_assert_uint_eq(u->op[IOB_OP_ALL].issued_bytes,
				  iob_result_count(r, IOB_OP_ALL, IOB_COUNT_BYTES));
		ck_assert_uint_eq(u->op[IOB_OP_ALL].bytes, u->op[IOB_OP_ALL].issued_bytes);
		for (int op = IOB_OP_READ; op <= IOB_OP_SYNC; op++)
			ck_assert_uint_eq(u->op[op].issued_ios,
					  iob_result_count(r, (enum iob_op)op, IOB_COUNT_IOS));
		iob_result_free(r);
	}
}
END_TEST

/* Large I/O is split: the requests are known from the limit. */
START_TEST(requests_per_io)
{
	char file[300];
	snprintf(file, sizeof(file), "/sys/block/%.200s/queue/max_sectors_kb",
		 loop.path + strlen("/dev/"));
	if (dev_setting(file, "64"))
		return;
	struct iob_result *r = run_one("engine=psync block_size=1m io_size=16m runtime=0 "
				       "pattern=sequential",
				       loop.path, 0);
	const struct iob_device_use *u = device(r, loop.path);
	ck_assert_uint_eq(u->op[IOB_OP_READ].ios, 256);
	ck_assert_double_eq_tol(u->requests_per_io, 16, 1e-9);
	ck_assert_double_eq_tol(u->mean_request, 65536, 1e-9);
	iob_result_free(r);
	dev_setting(file, "1280");
}
END_TEST

/* What happens in the ramp is not in the window; the intervals add up to it. */
START_TEST(ramp_and_intervals)
{
	struct iob_result *r = run_one("engine=io_uring block_size=4k queue_depth=4 runtime=600ms "
				       "ramp_time=400ms",
				       loop.path, 0);
	const struct iob_device_use *u = device(r, loop.path);
	uint64_t ios = 0, bytes = 0, length = 0, busy = 0;
	size_t n = iob_result_device_interval_count(r, 0), i = 0;
	ck_assert_uint_ge(n, 4);
	for (; i < n; i++) {
		const struct iob_device_interval *v = iob_result_device_interval(r, 0, i);
		ck_assert_uint_eq(v->size, sizeof(*v));
		if (i)
			ck_assert_uint_ge(v->start_ns, length);
		ios += v->read_ios;
		bytes += v->read_bytes;
		busy += v->busy_ms;
		length = v->start_ns + v->length_ns;
	}
	ck_assert_uint_eq(ios, u->op[IOB_OP_READ].ios);
	ck_assert_uint_eq(bytes, u->op[IOB_OP_READ].bytes);
	ck_assert_uint_eq(busy, u->busy_ms);
	ck_assert_uint_ge(u->length_ns, 590000000);
	/* Off by what was in flight at the end of the ramp, and its own moment. */
	uint64_t issued = iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS);
	ck_assert_double_le(fabs((double)ios - (double)issued), 64 + 0.05 * (double)issued);
	iob_result_free(r);
}
END_TEST

/* Somebody else's reads are told apart. */
START_TEST(foreign_traffic)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work("engine=psync block_size=4k runtime=800ms", loop.path, 0);
	struct iob_suite *s = iob_suite_new(&err);
	char *buf = aligned_alloc(4096, 65536);
	int fd = open(loop.path, O_RDONLY | O_DIRECT);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
	struct iob_run *run = iob_run_start(s, &err);
	ck_assert_ptr_nonnull(run);
	usleep(200000);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(pread(fd, buf, 65536, i * 65536L), 65536);
	struct iob_result *part = iob_run_snapshot(run, &err);
	ck_assert_uint_ge(device(part, loop.path)->op[IOB_OP_READ].bytes, 64 * 65536);
	struct iob_result *r = iob_run_result(run, &err);
	ck_assert_int_eq(device(r, loop.path)->foreign_bytes, 64 * 65536);
	iob_result_free(part);
	iob_result_free(r);
	iob_run_free(run);
	iob_suite_free(s);
	iob_workload_free(w);
	close(fd);
	free(buf);
}
END_TEST

/* Two workloads, one with two targets, on one device: it is there once, and what
 * both issued is its own traffic. */
START_TEST(several_targets)
{
	struct iob_error err = { 0 };
	struct dev other;
	ck_assert_int_eq(dev_loop(16 << 20, 0, &other), 0);
	struct iob_workload *a =
		work("engine=psync block_size=8k io_size=8m runtime=0", loop.path, 0);
	struct iob_workload *b =
		work("engine=psync block_size=4k io_size=4m runtime=0", loop.path, 0);
	ck_assert_int_eq(iob_workload_add_target(a, other.path, 0, &err), 0);
	struct iob_suite *s = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(s, a, &err), 0);
	ck_assert_int_eq(iob_suite_add(s, b, &err), 0);
	struct iob_result *r = iob_suite_run(s, &err);
	ck_assert_msg(r != NULL, "%s", err.message);
	const struct iob_result *stage = iob_result_child(r, 0);
	ck_assert_int_eq(device(r, loop.path)->foreign_bytes, 0);
	ck_assert_uint_eq(device(stage, loop.path)->op[IOB_OP_READ].issued_bytes, 8 << 20);
	ck_assert_uint_eq(device(stage, other.path)->op[IOB_OP_READ].issued_bytes, 4 << 20);
	ck_assert_int_eq(device(stage, other.path)->foreign_bytes, 0);
	/* b has one device of its own, with what both issued to it. */
	const struct iob_result *second = iob_result_child(stage, 1);
	ck_assert_uint_eq(device(second, loop.path)->op[IOB_OP_READ].issued_bytes, 8 << 20);
	size_t loops = 0;
	for (size_t i = 0; i < iob_result_device_count(second); i++)
		loops += !strcmp(iob_result_device(second, i)->kind, "loop");
	ck_assert_uint_eq(loops, 1);
	iob_result_free(r);
	iob_suite_free(s);
	iob_workload_free(a);
	iob_workload_free(b);
}
END_TEST

/* A loop device on a file on a loop device: three layers and what is below. */
START_TEST(nested)
{
	struct dev fs, upper;
	char file[600];
	if (dev_ext4(64 << 20, &fs))
		return;
	snprintf(file, sizeof(file), "%s/image", fs.path);
	work_file(file, 16 << 20, 1);
	ck_assert_int_eq(dev_loop_over(file, 0, &upper), 0);
	struct stat_line before = read_stat(upper.path);
	struct iob_result *r = run_one("engine=psync block_size=4k io_size=1m runtime=0 "
				       "read_percent=0 fsync_every=64",
				       upper.path, DESTROY);
	struct stat_line after = read_stat(upper.path);
	const struct iob_device_use *top = iob_result_device(r, 0), *below;
	agree(top, &before, &after);
	ck_assert_uint_eq(top->n_below, 1);
	below = iob_result_device(r, top->below[0]);
	ck_assert_str_eq(below->kind, "loop");
	ck_assert_uint_eq(below->depth, 1);
	ck_assert_uint_ge(below->op[IOB_OP_WRITE].bytes, 512 << 10); /* flushed through */
	ck_assert_ptr_nonnull(strstr(top->about, "/image"));
	iob_result_free(r);

	struct iob_device *d = iob_device_open(upper.path, NULL);
	ck_assert_ptr_nonnull(d);
	ck_assert_str_eq(iob_device_find(d, "backing_file")->text, file);
	ck_assert_uint_eq(iob_device_user_count(d), 0); /* a mount below its file is none */
	iob_device_free(d);
	d = iob_device_open(file, NULL);
	ck_assert_str_eq(iob_device_find(d, "filesystem")->text, "ext4");
	ck_assert_str_eq(iob_device_find(d, "mount_point")->text, fs.path);
	ck_assert_str_eq(iob_device_kind(iob_device_below(d, 0)), "loop");
	iob_device_free(d);
}
END_TEST

/* A file: its file system's device has the traffic. */
START_TEST(a_file)
{
	struct dev fs;
	char file[600];
	if (dev_ext4(64 << 20, &fs))
		return;
	snprintf(file, sizeof(file), "%s/data", fs.path);
	work_file(file, 8 << 20, 1);
	struct iob_result *r = run_one("engine=psync block_size=4k io_size=8m runtime=0", file, 0);
	const struct iob_device_use *u = iob_result_device(r, 0);
	ck_assert_str_eq(u->kind, "loop");
	ck_assert(u->flags & IOB_DEVICE_TARGET);
	ck_assert_uint_eq(u->op[IOB_OP_READ].issued_bytes, 8 << 20);
	ck_assert_uint_ge(u->op[IOB_OP_READ].bytes, 8 << 20);
	ck_assert_uint_le(u->op[IOB_OP_READ].bytes, (8 << 20) + (1 << 20));
	iob_result_free(r);
	/* From the page cache: fewer bytes here than were issued. */
	r = run_one("engine=psync block_size=4k io_size=8m runtime=0 direct=false", file, 0);
	iob_result_free(r);
	r = run_one("engine=psync block_size=4k io_size=8m runtime=0 direct=false", file, 0);
	ck_assert_int_lt(iob_result_device(r, 0)->foreign_bytes, -(7 << 20));
	iob_result_free(r);
}
END_TEST

START_TEST(four_k_blocks_and_zram)
{
	struct dev dev;
	ck_assert_int_eq(dev_loop(16 << 20, 4096, &dev), 0);
	struct iob_device *d = iob_device_open(dev.path, NULL);
	ck_assert_int_eq(iob_device_find(d, "logical_block")->number, 4096);
	ck_assert_int_eq(iob_device_find(d, "size")->number, 16 << 20);
	ck_assert_str_eq(iob_device_find(d, "backing_file")->text, dev.backing);
	iob_device_free(d);
	if (dev_zram(16 << 20, 0, &dev))
		return;
	d = iob_device_open(dev.path, NULL);
	ck_assert_str_eq(iob_device_kind(d), "zram");
	ck_assert_ptr_nonnull(iob_device_find(d, "compression"));
	iob_device_free(d);
	struct stat_line before = read_stat(dev.path);
	struct iob_result *r = run_one("engine=psync block_size=4k io_size=4m runtime=0 "
				       "read_percent=50",
				       dev.path, DESTROY);
	struct stat_line after = read_stat(dev.path);
	agree(device(r, dev.path), &before, &after);
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("layers");
	TCase *t = tcase_create("real");
	tcase_add_test(t, to_the_unit);
	tcase_add_test(t, requests_per_io);
	tcase_add_test(t, ramp_and_intervals);
	tcase_add_test(t, foreign_traffic);
	tcase_add_test(t, several_targets);
	tcase_add_test(t, nested);
	tcase_add_test(t, a_file);
	tcase_add_test(t, four_k_blocks_and_zram);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	int error = dev_begin();
	if (!error)
		error = dev_loop(64 << 20, 0, &loop);
	if (error && dev_missing(error))
		work_skip("no loop device", error);
	return error ? EXIT_FAILURE : iob_test_run(suite());
}
