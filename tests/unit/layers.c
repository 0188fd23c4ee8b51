/* SPDX-License-Identifier: MIT */
/* The seed's storage, made of files: which layers there are and what their counters say. */
#include "result/result_priv.h"
#include "support/fake.h"
#include "support/seed_md.h"
#include "support/tree.h"
#include "target/counters.h"
#include <math.h>

enum {
	KIB64 = 65536,
	KIB4 = 4096,
	MIB = 1 << 20
};

/* ---- building ---- */

static void md(struct fake *f, const char *name, const char *level, unsigned disks)
{
	char text[16];
	fake_disk(f, name, NULL);
	fake_set(f, name, "md/level", level);
	snprintf(text, sizeof(text), "%u\n", disks);
	fake_set(f, name, "md/raid_disks", text);
	fake_set(f, name, "md/chunk_size", "65536\n");
}

static void lv(struct fake *f, const char *name)
{
	fake_disk(f, name, NULL);
	fake_set(f, name, "dm/name", "vg-my--lv\n");
	fake_set(f, name, "dm/uuid", "LVM-abcdef\n");
}

/* Each row's device; a disk is a member of the last md before it, an md of the
 * first row where that is another device, dm or md6. */
static void build(struct fake *f, const struct seed_test *t)
{
	const char *top = t->row[0].name, *array = NULL;
	for (const struct seed_row *r = t->row; r->name; r++) {
		if (!strncmp(r->name, "dm-", 3)) {
			lv(f, r->name);
		} else if (!strncmp(r->name, "md", 2)) {
			array = r->name;
			md(f, r->name, strcmp(r->name, "md6") ? "raid6\n" : "raid0\n", 10);
			if (r != t->row)
				fake_stack(f, top, r->name);
		} else {
			fake_disk(f, r->name,
				  "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/block");
			fake_stack(f, array, r->name);
		}
	}
}

/* fio 2.0.4 has no sectors: what was merged came in the size of the layer above. */
static unsigned sectors(const struct seed_test *t, const struct seed_row *r)
{
	unsigned first = t->row[0].ios / t->issued > 100 ? 8 : 128;
	return (r->ios + r->merges) * first;
}

static void set_stat(struct fake *f, const struct seed_test *t, const struct seed_row *r)
{
	char text[200];
	snprintf(text, sizeof(text), "%8u %8u %8u %8u 0 0 0 0 0 %u %u\n", r->ios, r->merges,
		 sectors(t, r), r->ticks, r->util * t->runtime_ms / 10000, r->queue);
	fake_set(f, r->name, "stat", text);
}

/* What watch.c makes of two readings. */
static void add_device(struct iob_result *w, const struct iobi_counters *c, size_t i,
		       const struct iobi_stat *from, const struct iobi_stat *to,
		       const struct seed_test *t)
{
	const struct iobi_counter *k = &c->list[i];
	struct iobi_device d = { .use = { .name = k->name,
					  .kind = k->kind,
					  .about = k->about,
					  .machine = "",
					  .depth = k->depth,
					  .n_below = (uint32_t)k->n_below,
					  .length_ns = t->runtime_ms * UINT64_C(1000000) } };
	char *below[64];
	for (size_t b = 0; b < k->n_below; b++)
		below[b] = c->list[k->below[b].to].name;
	d.below = below;
	d.use.op[IOB_OP_READ].issued_ios = t->issued;
	d.use.op[IOB_OP_READ].issued_bytes = t->kib * UINT64_C(1024);
	iobi_counters_since(k, &from[i], &to[i], &d.use);
	ck_assert_int_eq(iobi_devices_add(w, &d), 0);
}

static void open_counters(struct iobi_counters *c, struct fake *f, const char *top)
{
	struct iobi_system sys;
	size_t root;
	memset(c, 0, sizeof(*c));
	iobi_system_open(&sys, f->root);
	ck_assert_int_eq(iobi_counters_add(c, &sys, fake_dev(f, top), &root), 0);
	ck_assert_uint_eq(root, 0);
	ck_assert_int_eq(iobi_counters_open(c, &sys), 0);
	iobi_system_close(&sys);
}

/* The whole way of a test's numbers: files, readings, result. */
static struct iob_result *replay(struct fake *f, const struct seed_test *t)
{
	struct iobi_counters c;
	struct iobi_stat from[64], to[64];
	struct iob_result *w = tree_mixed_workload();
	open_counters(&c, f, t->row[0].name);
	ck_assert_uint_le(c.n, 64);
	iobi_counters_read(&c, from);
	for (const struct seed_row *r = t->row; r->name; r++)
		set_stat(f, t, r);
	iobi_counters_read(&c, to);
	for (size_t i = 0; i < c.n; i++)
		add_device(w, &c, i, from, to, t);
	ck_assert_int_eq(iobi_devices_derive(w), 0);
	iobi_counters_free(&c);
	return w;
}

static const struct iob_device_use *device(const struct iob_result *r, const char *name)
{
	for (size_t i = 0; i < iob_result_device_count(r); i++)
		if (!strcmp(iob_result_device(r, i)->name, name))
			return iob_result_device(r, i);
	ck_abort_msg("%s is not there", name);
	return NULL;
}

static const char *name_at(const struct iob_result *r, uint32_t place)
{
	const struct iob_device_use *u = iob_result_device(r, place);
	ck_assert_ptr_nonnull(u);
	return u->name;
}

#define ck_near(value, wanted, by) ck_assert_double_eq_tol(value, wanted, (by) + 1e-9)

/* ---- the tests ---- */

/* Every device of every test, with the counts that fio printed. */
START_TEST(all_counts)
{
	const struct seed_test *t = &seed_md[_i];
	struct fake f;
	size_t n = 0;
	fake_begin(&f);
	build(&f, t);
	struct iob_result *w = replay(&f, t);
	for (const struct seed_row *r = t->row; r->name; r++, n++) {
		const struct iob_device_use *u = device(w, r->name);
		ck_assert_uint_eq(u->op[IOB_OP_READ].ios, r->ios);
		ck_assert_uint_eq(u->op[IOB_OP_READ].merges, r->merges);
		ck_assert_uint_eq(u->op[IOB_OP_READ].ticks_ms, r->ticks);
		ck_assert_uint_eq(u->queue_ms, r->queue);
		int untimed = r->ios && !r->util;
		ck_assert_int_eq(!!(u->flags & IOB_DEVICE_NO_TICKS), untimed);
		ck_assert_int_eq(isnan(u->utilisation), untimed);
		ck_assert_int_eq(isnan(u->in_flight), untimed);
		if (!untimed)
			ck_near(u->utilisation, r->util / 1e4, 2e-4);
		ck_assert_uint_eq(u->flags & IOB_DEVICE_NO_DISCARDS, IOB_DEVICE_NO_DISCARDS);
	}
	ck_assert_uint_eq(iob_result_device_count(w), n);
	iob_result_free(w);
	fake_end(&f);
}
END_TEST

START_TEST(test1_spares_do_not_count)
{
	struct fake f;
	fake_begin(&f);
	build(&f, &seed_md[0]);
	struct iob_result *w = replay(&f, &seed_md[0]);
	const struct iob_device_use *u = device(w, "md0");
	ck_assert_str_eq(u->kind, "md");
	ck_assert_str_eq(u->about, "raid6, 10 disks");
	ck_assert_uint_eq(u->depth, 0);
	ck_assert_uint_eq(u->above, UINT32_MAX);
	ck_assert_uint_eq(u->n_below, 12);
	ck_assert_uint_eq(u->n_idle, 2);
	ck_near(u->member_ios.mean, 809.6, 1e-9); /* not 674.7, over all 12 */
	ck_near(u->member_ios.min, 788, 0);
	ck_near(u->member_ios.max, 830, 0);
	ck_assert_str_eq(name_at(w, u->member_ios.worst), "sdk");
	ck_near(u->member_ios.skew, 788 / ((8096 - 788) / 9.0), 1e-9);
	ck_near(u->member_utilisation.max, 0.7797, 2e-4);
	ck_near(u->mean_request, KIB64, 0);
	ck_near(u->requests_per_io, 8000 / 506.0, 1e-9);
	ck_assert_uint_eq(device(w, "sdc")->above, 0);
	ck_assert_uint_eq(device(w, "sdc")->depth, 1);
	ck_near(device(w, "sdc")->mean_request, KIB64, 0);
	ck_near(device(w, "sdc")->in_flight, 12584 / 10017.0, 1e-9);
	iob_result_free(w);
	fake_end(&f);
}
END_TEST

/* 256 requests for each I/O at dm and at both md together, merged below. */
static void split_and_merged(size_t test, const char *top)
{
	struct fake f;
	struct seed_test t = seed_md[test];
	t.issued = t.row[0].ios / 256; /* those whose requests fio's own window saw */
	fake_begin(&f);
	build(&f, &t);
	struct iob_result *w = replay(&f, &t);
	ck_near(device(w, top)->mean_request, KIB4, 0);
	ck_near(device(w, top)->requests_per_io, 256, 0);
	ck_near(device(w, "md0")->mean_request, KIB4, 0);
	ck_near(device(w, "md1")->mean_request, KIB4, 0);
	ck_near(device(w, "md0")->requests_per_io + device(w, "md1")->requests_per_io, 256,
		256 * 0.02);
	ck_near(device(w, "sdc")->mean_request, KIB64, KIB64 * 0.01);
	ck_near(device(w, "sdl")->mean_request, KIB64, KIB64 * 0.01);
	ck_assert_uint_eq(device(w, top)->n_below, 2);
	ck_near(device(w, top)->member_ios.mean, t.row[1].ios, 0);
	ck_assert(isnan(device(w, top)->member_utilisation.mean));
	ck_assert_uint_eq(device(w, "md1")->depth, 1);
	ck_assert_str_eq(name_at(w, device(w, "sdl")->above), "md1");
	iob_result_free(w);
	fake_end(&f);
	ck_near(seed_md[test].row[0].ios / (double)seed_md[test].issued, 256, 256 * 0.02);
}

START_TEST(test3_lvm_striped)
{
	split_and_merged(2, "dm-0");
}
END_TEST

START_TEST(test4_raid0)
{
	split_and_merged(3, "md6");
}
END_TEST

START_TEST(test2_linear_lvm)
{
	struct fake f;
	fake_begin(&f);
	build(&f, &seed_md[1]);
	struct iob_result *w = replay(&f, &seed_md[1]);
	const struct iob_device_use *u = device(w, "dm-0");
	ck_assert_str_eq(u->kind, "dm");
	ck_assert_str_eq(u->about, "LVM vg/my-lv");
	ck_near(u->mean_request, KIB64, 0);
	ck_near(u->utilisation, 0.9886, 2e-4);
	ck_assert_uint_eq(u->n_below, 1);
	ck_assert_uint_eq(u->n_idle, 0);
	ck_near(device(w, "md0")->member_ios.mean, 11024 / 10.0, 11024 / 10.0 * 0.01);
	iob_result_free(w);
	fake_end(&f);
}
END_TEST

START_TEST(test5_and_7_twenty_disks)
{
	static const size_t tests[] = { 4, 6 };
	static const unsigned spares[] = { 4, 0 };
	for (size_t i = 0; i < 2; i++) {
		const struct seed_test *t = &seed_md[tests[i]];
		struct fake f;
		fake_begin(&f);
		build(&f, t);
		struct iob_result *w = replay(&f, t);
		const struct iob_device_use *u = device(w, "md0");
		ck_assert_uint_eq(u->n_below, 20 + spares[i]);
		ck_assert_uint_eq(u->n_idle, spares[i]);
		ck_near(u->mean_request, KIB64, 0);
		ck_near(u->member_ios.mean, t->row[0].ios / 20.0, t->row[0].ios / 20.0 * 0.02);
		iob_result_free(w);
		fake_end(&f);
	}
}
END_TEST

/* Azure: a volume striped over three disks, one of them served by another cache. */
START_TEST(azure)
{
	static const struct seed_test t = { .issued = 8192,
					    .kib = 1048576,
					    .runtime_ms = 7987,
					    .row = { { "dm-8", 8059, 0, 7604, 7640, 9582 },
						     { "sdg", 5461, 0, 564, 564, 696 },
						     { "sdh", 5461, 0, 7376, 7376, 9108 },
						     { "sdi", 5462, 0, 7404, 7404, 9144 } } };
	struct fake f;
	fake_begin(&f);
	lv(&f, "dm-8");
	for (int i = 1; i < 4; i++) {
		fake_disk(&f, t.row[i].name,
			  "LNXSYSTM:00/ACPI0004:00/VMBUS:00/8899/host5/target5:0:0/block");
		fake_set(&f, t.row[i].name, "device/queue_depth", "2048\n");
		fake_set(&f, t.row[i].name, "device/vendor", "Msft    \n");
		fake_set(&f, t.row[i].name, "device/model", "Virtual Disk    \n");
		fake_stack(&f, "dm-8", t.row[i].name);
	}
	struct iob_result *w = replay(&f, &t);
	const struct iob_device_use *u = device(w, "dm-8");
	ck_assert_uint_eq(u->n_below, 3);
	ck_assert_str_eq(name_at(w, u->member_utilisation.worst), "sdg");
	ck_near(u->member_utilisation.skew, 6.96 / ((91.08 + 91.44) / 2), 1e-3);
	ck_assert_double_lt(u->member_ios.max - u->member_ios.min, 2);
	ck_assert_str_eq(device(w, "sdh")->about, "Msft Virtual Disk hyperv");
	iob_result_free(w);
	fake_end(&f);
}
END_TEST

static const char *layer_name(const struct iobi_layers *l, size_t i)
{
	ck_assert_uint_lt(i, l->n);
	return l->list[i].name;
}

static void find_layers(struct iobi_layers *l, struct fake *f, const char *top)
{
	struct iobi_system sys;
	size_t place;
	memset(l, 0, sizeof(*l));
	iobi_system_open(&sys, f->root);
	ck_assert_int_eq(iobi_layers_add(l, &sys, fake_dev(f, top), &place), 0);
	iobi_system_close(&sys);
}

START_TEST(partition_multipath_loop)
{
	struct iobi_layers l;
	struct fake f;
	char number[32];
	fake_begin(&f);
	fake_disk(&f, "nvme0n1", "pci0000:00/0000:00:04.0/nvme/nvme0");
	fake_partition(&f, "nvme0n1", "nvme0n1p2", 2);
	lv(&f, "dm-1");
	fake_stack(&f, "dm-1", "nvme0n1p2");
	fake_mount(&f, fake_number(&f, "dm-1", number, sizeof(number)), "/srv", "xfs", "/dev/dm-1");
	fake_disk(&f, "loop3", NULL);
	fake_set(&f, "loop3", "loop/backing_file", "/srv/images/a b.img\n");
	fake_disk(&f, "loop4", NULL);
	fake_set(&f, "loop4", "loop/backing_file", "/dev/loop3\n");
	find_layers(&l, &f, "loop4");
	ck_assert_uint_eq(l.n, 5);
	ck_assert_str_eq(layer_name(&l, 0), "loop4");
	ck_assert_str_eq(layer_name(&l, 1), "loop3");
	ck_assert_str_eq(layer_name(&l, 2), "dm-1");
	ck_assert_str_eq(layer_name(&l, 3), "nvme0n1p2");
	ck_assert_str_eq(layer_name(&l, 4), "nvme0n1");
	ck_assert_int_eq(l.list[0].below[0].via, IOBI_VIA_DEVICE);
	ck_assert_int_eq(l.list[1].below[0].via, IOBI_VIA_FILE);
	ck_assert_int_eq(l.list[2].below[0].via, IOBI_VIA_SLAVE);
	ck_assert_int_eq(l.list[3].below[0].via, IOBI_VIA_PARTITION);
	ck_assert_uint_eq(l.list[4].depth, 4);
	iobi_layers_free(&l);

	fake_disk(&f, "dm-2", NULL);
	fake_set(&f, "dm-2", "dm/name", "mpatha\n");
	fake_set(&f, "dm-2", "dm/uuid", "mpath-3600\n");
	fake_disk(&f, "sdb", "pci0000:00/host1/rport-1:0-0/target1:0:0/block");
	fake_disk(&f, "sdaa", "pci0000:00/host2/rport-2:0-0/target2:0:0/block");
	fake_stack(&f, "dm-2", "sdaa");
	fake_stack(&f, "dm-2", "sdb");
	find_layers(&l, &f, "dm-2");
	ck_assert_uint_eq(l.n, 3);
	ck_assert_str_eq(layer_name(&l, 1), "sdb"); /* as people count: sdb before sdaa */
	ck_assert_str_eq(layer_name(&l, 2), "sdaa");
	iobi_layers_free(&l);
	fake_end(&f);
}
END_TEST

/* Two volumes on two partitions of one disk: it is there once. */
START_TEST(a_device_is_there_once)
{
	struct iobi_layers l;
	struct fake f;
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_partition(&f, "sda", "sda1", 1);
	fake_partition(&f, "sda", "sda2", 2);
	md(&f, "md0", "raid1\n", 2);
	fake_stack(&f, "md0", "sda1");
	fake_stack(&f, "md0", "sda2");
	find_layers(&l, &f, "md0");
	ck_assert_uint_eq(l.n, 4);
	ck_assert_str_eq(layer_name(&l, 2), "sda");
	ck_assert_uint_eq(l.list[0].n_below, 2);
	ck_assert_uint_eq(l.list[1].below[0].to, 2);
	ck_assert_uint_eq(l.list[3].below[0].to, 2);
	iobi_layers_free(&l);
	fake_end(&f);
}
END_TEST

START_TEST(a_cycle_ends)
{
	struct iobi_layers l;
	struct fake f;
	fake_begin(&f);
	lv(&f, "dm-0");
	lv(&f, "dm-1");
	lv(&f, "dm-2");
	fake_stack(&f, "dm-0", "dm-1");
	fake_stack(&f, "dm-1", "dm-2");
	fake_stack(&f, "dm-2", "dm-0");
	fake_stack(&f, "dm-2", "dm-2");
	find_layers(&l, &f, "dm-1");
	ck_assert_uint_eq(l.n, 3);
	ck_assert_uint_eq(l.list[2].n_below, 0); /* dm-0: what would close it is left out */
	iobi_layers_free(&l);
	fake_end(&f);
}
END_TEST

START_TEST(a_deep_stack)
{
	struct iobi_layers l;
	struct fake f;
	char upper[32], lower[32];
	fake_begin(&f);
	for (int i = 0; i < 200; i++) {
		snprintf(upper, sizeof(upper), "dm-%d", i);
		snprintf(lower, sizeof(lower), "dm-%d", i - 1);
		fake_disk(&f, upper, NULL);
		if (i)
			fake_stack(&f, upper, lower);
	}
	find_layers(&l, &f, "dm-199");
	ck_assert_uint_gt(l.n, 100);
	ck_assert_uint_le(l.n, 200);
	iobi_layers_free(&l);
	fake_end(&f);
}
END_TEST

/* ---- counters ---- */

START_TEST(stat_lines)
{
	static const struct {
		const char *text;
		unsigned n;
	} lines[] = {
		{ "1 2 3 4 5 6 7 8 9 10 11\n", 11 },
		{ "  1  2  3  4  5  6  7  8  9  10  11  12  13  14  15\n", 15 },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", 17 },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n", 17 }, /* a newer kernel */
		{ "1 2 3 4 5 6 7 8 9 10 11", 11 },
		{ "18446744073709551615 2 3 4 5 6 7 8 9 10 11\n", 11 },
		{ "18446744073709551616 2 3 4 5 6 7 8 9 10 11\n", 0 },
		{ "", 0 },
		{ "\n", 0 },
		{ "1 2 3 4 5 6 7 8 9 10\n", 0 },
		{ "1 2 3 4 5 6 7 8 9 10 x\n", 0 },
		{ "1 2 3 4 5 6 7 8 9 10 11 -12\n", 0 },
		{ "1 2 3 4 5 6 7 8 9 10 11x\n", 0 },
		{ "1 2 3 4 -5 6 7 8 9 10 11\n", 0 },
	};
	struct iobi_stat s;
	for (size_t i = 0; i < IOBI_LEN(lines); i++) {
		iobi_stat_parse(lines[i].text, &s);
		ck_assert_msg(s.n == lines[i].n, "\"%s\": %u fields", lines[i].text, s.n);
		if (s.n)
			ck_assert_uint_eq(s.v[10], 11);
	}
}
END_TEST

static struct iob_device_use between(const char *from, const char *to)
{
	struct iobi_counter c = { .stats_off = false };
	struct iobi_stat a, b;
	struct iob_device_use use = { 0 };
	iobi_stat_parse(from, &a);
	iobi_stat_parse(to, &b);
	iobi_counters_since(&c, &a, &b, &use);
	return use;
}

START_TEST(differences)
{
	struct iob_device_use u = between("10 1 80 5 20 2 160 6 0 7 8 30 3 240 9 40 10\n",
					  "13 2 104 7 25 4 200 9 1 17 28 37 4 296 12 49 22\n");
	ck_assert_uint_eq(u.flags, 0);
	ck_assert_uint_eq(u.op[IOB_OP_READ].ios, 3);
	ck_assert_uint_eq(u.op[IOB_OP_READ].merges, 1);
	ck_assert_uint_eq(u.op[IOB_OP_READ].bytes, 24 * 512);
	ck_assert_uint_eq(u.op[IOB_OP_READ].ticks_ms, 2);
	ck_assert_uint_eq(u.op[IOB_OP_WRITE].ios, 5);
	ck_assert_uint_eq(u.op[IOB_OP_WRITE].merges, 2);
	ck_assert_uint_eq(u.op[IOB_OP_WRITE].bytes, 40 * 512);
	ck_assert_uint_eq(u.op[IOB_OP_WRITE].ticks_ms, 3);
	ck_assert_uint_eq(u.op[IOB_OP_TRIM].ios, 7);
	ck_assert_uint_eq(u.op[IOB_OP_TRIM].bytes, 56 * 512);
	ck_assert_uint_eq(u.op[IOB_OP_SYNC].ios, 9);
	ck_assert_uint_eq(u.op[IOB_OP_SYNC].ticks_ms, 12);
	ck_assert_uint_eq(u.busy_ms, 10);
	ck_assert_uint_eq(u.queue_ms, 20);
}
END_TEST

/* 32-bit times wrap; a count that goes back is another device. */
START_TEST(wraps_and_resets)
{
	struct iob_device_use u = between("10 1 80 4294967290 0 0 0 0 0 4294967295 100\n",
					  "13 2 104 4 0 0 0 0 0 9 110\n");
	ck_assert_uint_eq(u.flags, IOB_DEVICE_NO_DISCARDS | IOB_DEVICE_NO_FLUSHES);
	ck_assert_uint_eq(u.op[IOB_OP_READ].ticks_ms, 10);
	ck_assert_uint_eq(u.busy_ms, 10);
	u = between("10 1 80 5 0 0 0 0 0 7 8\n", "9 1 80 5 0 0 0 0 0 7 8\n");
	ck_assert_uint_eq(u.flags, IOB_DEVICE_NO_COUNTERS);
	ck_assert_uint_eq(u.op[IOB_OP_READ].ios, 0);
	u = between("10 1 80 5 0 0 0 0 0 7 8\n", "");
	ck_assert_uint_eq(u.flags, IOB_DEVICE_NO_COUNTERS);
	u = between("10 1 80 5 0 0 0 0 0 7 8\n", "11 1 88 5 0 0 0 0 0 7 8 0 0 0 0\n");
	ck_assert_uint_eq(u.flags, IOB_DEVICE_NO_COUNTERS);
	/* busy within one tick of the clock: 0, and available */
	u = between("10 1 80 5 0 0 0 0 0 7 8\n", "11 1 88 5 0 0 0 0 0 7 8\n");
	ck_assert_uint_eq(u.flags & IOB_DEVICE_NO_TICKS, 0);
}
END_TEST

START_TEST(stat_files_that_are_none)
{
	static const char *const bad[] = { "", "\n", "none\n", "1 2 3\n" };
	struct iobi_counters c;
	struct iobi_stat s[4];
	struct fake f;
	static char huge[70000];
	memset(huge, '7', sizeof(huge) - 1);
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	open_counters(&c, &f, "sda");
	for (size_t i = 0; i < IOBI_LEN(bad); i++) {
		fake_set(&f, "sda", "stat", bad[i]);
		iobi_counters_read(&c, s);
		ck_assert_uint_eq(s[0].n, 0);
	}
	fake_set(&f, "sda", "stat", huge);
	iobi_counters_read(&c, s);
	ck_assert_uint_eq(s[0].n, 0);
	fake_set(&f, "sda", "stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	iobi_counters_read(&c, s);
	ck_assert_uint_eq(s[0].n, 11);
	iobi_counters_free(&c);
	fake_end(&f);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("layers");
	TCase *t = tcase_create("seed");
	tcase_add_loop_test(t, all_counts, 0, (int)IOBI_LEN(seed_md));
	tcase_add_test(t, test1_spares_do_not_count);
	tcase_add_test(t, test2_linear_lvm);
	tcase_add_test(t, test3_lvm_striped);
	tcase_add_test(t, test4_raid0);
	tcase_add_test(t, test5_and_7_twenty_disks);
	tcase_add_test(t, azure);
	suite_add_tcase(s, t);
	t = tcase_create("layers");
	tcase_add_test(t, partition_multipath_loop);
	tcase_add_test(t, a_device_is_there_once);
	tcase_add_test(t, a_cycle_ends);
	tcase_add_test(t, a_deep_stack);
	suite_add_tcase(s, t);
	t = tcase_create("counters");
	tcase_add_test(t, stat_lines);
	tcase_add_test(t, differences);
	tcase_add_test(t, wraps_and_resets);
	tcase_add_test(t, stat_files_that_are_none);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
