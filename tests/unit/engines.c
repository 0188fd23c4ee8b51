/* SPDX-License-Identifier: MIT */
/* Every engine moves the right bytes, gives every I/O back once with its own
 * result, and waits as long as it is told. */
#include "engine/engines.h"
#include "support/device.h"
#include "support/rig.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct iob_engine_ops *const all[] = { &iobi_engine_psync,    &iobi_engine_mmap,
						    &iobi_engine_libaio,   &iobi_engine_io_uring,
						    &iobi_engine_posixaio, &iobi_engine_null };
/* all[0..DATA) move data, all[ASYNC_FIRST..) are asynchronous */
enum { DATA = 4 + RIG_POSIXAIO, ASYNC_FIRST = 2, ALL = 6, MB = 1 << 20 };

static void check_file(const char *path, uint64_t at, uint32_t len, unsigned round)
{
	unsigned char *p = malloc(len);
	int fd = open(path, O_RDONLY);

	ck_assert_int_eq(pread(fd, p, len, (off_t)at), (int)len);
	rig_check(p, at, len, round);
	close(fd);
	free(p);
}

/* Lengths and places a page, a sector and a byte wide, across pages, and long ones. */
static const struct {
	uint64_t at;
	uint32_t len;
} places[] = { { 0, 4096 },       { 4096, 512 },     { 8191, 1 },       { 12288 - 700, 1400 },
	       { 65536, 131072 }, { 300001, 70001 }, { MB - 512, 512 }, { 500000, 65536 } };

START_TEST(written_data_is_there)
{
	const char *path = rig_file(MB);
	struct rig r;

	rig_init(&r, all[_i], path, O_RDWR, IOBI_LEN(places), 131072);
	rig_start(&r);
	for (unsigned i = 0; i < IOBI_LEN(places); i++) {
		rig_io(&r, i, IOB_OP_WRITE, places[i].at, places[i].len);
		rig_fill(rig_buf(&r, i), places[i].at, places[i].len, 3);
	}
	rig_run(&r, IOBI_LEN(places));
	for (unsigned i = 0; i < IOBI_LEN(places); i++) {
		ck_assert_int_eq(r.io[i].result, (int)places[i].len);
		check_file(path, places[i].at, places[i].len, 3);
	}
	check_file(path, 4608, 8191 - 4608, 0); /* and nothing beside them */
	check_file(path, 8192, 12288 - 700 - 8192, 0);
	check_file(path, MB - 4096, 4096 - 512, 0);
	rig_close(&r);
}
END_TEST

static void read_back(const struct iob_engine_ops *ops, int flags, uint32_t block, unsigned n)
{
	const char *path = rig_file(MB);
	struct rig r;

	rig_init(&r, ops, path, flags, n, block);
	rig_start(&r);
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < n; i++)
			rig_io(&r, i, IOB_OP_READ, (i * 37 + round * 11) % (MB / block) * block,
			       block);
		rig_run(&r, n);
		for (unsigned i = 0; i < n; i++) {
			ck_assert_int_eq(r.io[i].result, (int)block);
			rig_check(rig_buf(&r, i), r.io[i].offset, block, 0);
		}
	}
	rig_close(&r);
}

START_TEST(reads_are_right)
{
	read_back(all[_i], O_RDONLY, 4096, 32);
	read_back(all[_i], O_RDONLY, 3000, 5);
	read_back(all[_i], O_RDONLY, 4096, 1);
}
END_TEST

START_TEST(direct_reads_are_right)
{
	if (all[_i]->caps & IOB_ENGINE_BUFFERED_ONLY)
		return;
	read_back(all[_i], O_RDONLY | O_DIRECT, 4096, 32);
	read_back(all[_i], O_RDONLY | O_DIRECT, 65536, 8);
}
END_TEST

START_TEST(a_deep_queue)
{
	read_back(all[_i], O_RDONLY | O_DIRECT, 4096, 64);
}
END_TEST

/* `min` at least, `max` at most, none lost and none twice. */
START_TEST(reap_keeps_its_bounds)
{
	const char *path = rig_file(MB);
	struct iob_io *ios[32], *done[32];
	unsigned got = 0, seen[32] = { 0 };
	struct rig r;

	rig_init(&r, all[_i], path, O_RDONLY | O_DIRECT, 32, 4096);
	rig_start(&r);
	for (unsigned i = 0; i < 32; i++)
		ios[i] = rig_io(&r, i, IOB_OP_READ, i * 4096, 4096);
	ck_assert_int_eq(r.ops->submit(r.state, ios, 20), 20);
	ck_assert_int_eq(r.ops->submit(r.state, ios + 20, 12), 12);
	while (got < 32) {
		unsigned min = 32 - got < 5 ? 32 - got : 5;
		int n = r.ops->reap(r.state, done, min, 7, -1);

		ck_assert_int_ge(n, (int)min);
		ck_assert_int_le(n, 7);
		for (int i = 0; i < n; i++) {
			ck_assert_int_eq(done[i]->result, 4096);
			ck_assert_uint_eq(seen[done[i] - r.io]++, 0);
		}
		got += (unsigned)n;
	}
	ck_assert_int_eq(r.ops->reap(r.state, done, 0, 32, 0), 0);
	rig_close(&r);
}
END_TEST

START_TEST(null_does_nothing_in_order)
{
	struct iob_io *ios[3], *done[3];
	struct rig r;

	rig_init(&r, &iobi_engine_null, NULL, O_RDWR, 3, 4096);
	rig_start(&r);
	ios[0] = rig_io(&r, 0, IOB_OP_READ, 0, 4096);
	ios[1] = rig_io(&r, 1, IOB_OP_SYNC, 0, 0);
	ios[2] = rig_io(&r, 2, IOB_OP_TRIM, 8192, 512);
	for (int round = 0; round < 5; round++) {
		ck_assert_int_eq(r.ops->submit(r.state, ios, 3), 3);
		ck_assert_int_eq(r.ops->reap(r.state, done, 1, 2, -1), 2);
		ck_assert_int_eq(r.ops->reap(r.state, done + 2, 1, 2, -1), 1);
		ck_assert_mem_eq(done, ios, sizeof(done));
	}
	ck_assert_int_eq(r.io[0].result, 4096);
	ck_assert_int_eq(r.io[1].result, 0);
	ck_assert_int_eq(r.io[2].result, 512);
	rig_close(&r);
}
END_TEST

static void start_idle(struct rig *r, const struct iob_engine_ops *ops)
{
	rig_init(r, ops, rig_file(MB), O_RDONLY, 4, 4096);
	rig_start(r);
}

START_TEST(a_timeout_is_kept)
{
	struct iob_io *done[4];
	struct rig r;
	double t;

	start_idle(&r, all[_i]);
	t = rig_ms();
	ck_assert_int_eq(r.ops->reap(r.state, done, 1, 4, 0), 0);
	ck_assert_double_lt(rig_ms() - t, 20);
	t = rig_ms();
	ck_assert_int_eq(r.ops->reap(r.state, done, 1, 4, 20000000), 0);
	ck_assert_double_ge(rig_ms() - t, 19);
	ck_assert_double_lt(rig_ms() - t, 120);
	t = rig_ms();
	ck_assert_int_eq(r.ops->reap(r.state, done, 2, 4, 130000000), 0); /* several slices */
	ck_assert_double_ge(rig_ms() - t, 129);
	ck_assert_double_lt(rig_ms() - t, 260);
	rig_close(&r);
}
END_TEST

static void *wake_later(void *arg)
{
	struct rig *r = arg;

	usleep(30000);
	r->ops->wake(r->state);
	return NULL;
}

START_TEST(a_wake_ends_the_wait)
{
	struct iob_io *done[4];
	pthread_t thread;
	struct rig r;
	double t;

	/* valgrind 3.19 lets no other thread run while one is in io_uring_enter */
	if (all[_i] == &iobi_engine_io_uring && getenv("IOBENCH_VALGRIND"))
		return;
	start_idle(&r, all[_i]);
	t = rig_ms();
	ck_assert_int_eq(pthread_create(&thread, NULL, wake_later, &r), 0);
	ck_assert_int_eq(r.ops->reap(r.state, done, 1, 4, -1), 0);
	ck_assert_double_ge(rig_ms() - t, 29);
	ck_assert_double_lt(rig_ms() - t, 180);
	pthread_join(thread, NULL);
	r.ops->wake(r.state); /* the next wait */
	t = rig_ms();
	ck_assert_int_eq(r.ops->reap(r.state, done, 1, 4, -1), 0);
	ck_assert_double_lt(rig_ms() - t, 40);
	t = rig_ms(); /* and only that one */
	ck_assert_int_eq(r.ops->reap(r.state, done, 1, 4, 20000000), 0);
	ck_assert_double_ge(rig_ms() - t, 19);
	rig_close(&r);
}
END_TEST

/* An I/O that the kernel refuses at once leaves its neighbours alone. */
START_TEST(each_io_has_its_own_result)
{
	const char *path = rig_file(MB);
	struct rig r;

	if (all[_i]->caps & IOB_ENGINE_BUFFERED_ONLY)
		return;
	rig_init(&r, all[_i], path, O_RDONLY | O_DIRECT, 5, 4096);
	rig_start(&r);
	for (int round = 0; round < 3; round++) {
		rig_io(&r, 0, IOB_OP_READ, 100, 4096);
		rig_io(&r, 1, IOB_OP_READ, 4096, 4096);
		rig_io(&r, 2, IOB_OP_READ, 8192, 77);
		rig_io(&r, 3, IOB_OP_WRITE, 8192, 4096);
		rig_io(&r, 4, IOB_OP_READ, 12288, 4096);
		rig_run(&r, 5);
		ck_assert_int_eq(r.io[0].result, -EINVAL);
		ck_assert_int_eq(r.io[1].result, 4096);
		ck_assert_int_eq(r.io[2].result, -EINVAL);
		ck_assert_int_eq(r.io[3].result, -EBADF);
		ck_assert_int_eq(r.io[4].result, 4096);
		rig_check(rig_buf(&r, 4), 12288, 4096, 0);
	}
	rig_close(&r);
}
END_TEST

START_TEST(the_end_of_a_file_is_short)
{
	const char *path = rig_file(10000);
	struct rig r;

	if (all[_i] == &iobi_engine_mmap)
		return;
	rig_init(&r, all[_i], path, O_RDONLY, 2, 4096);
	rig_start(&r);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 8192, 4096), 10000 - 8192);
	rig_check(rig_buf(&r, 0), 8192, 10000 - 8192, 0);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 20480, 4096), 0);
	rig_close(&r);
}
END_TEST

START_TEST(sync_is_done)
{
	for (int data_only = 0; data_only < 2; data_only++) {
		struct rig r;

		rig_init(&r, all[_i], rig_file(MB), O_RDWR, 4, 4096);
		r.env.caps_wanted = IOB_ENGINE_FSYNC | (data_only ? IOB_ENGINE_FDATASYNC : 0);
		rig_start(&r);
		rig_io(&r, 0, IOB_OP_WRITE, 0, 4096);
		rig_io(&r, 1, IOB_OP_SYNC, 0, 0);
		rig_io(&r, 2, IOB_OP_WRITE, 8192, 4096);
		rig_run(&r, 3);
		ck_assert_int_eq(r.io[0].result, 4096);
		ck_assert_int_eq(r.io[1].result, 0);
		ck_assert_int_eq(r.io[2].result, 4096);
		ck_assert_int_eq(rig_one(&r, IOB_OP_SYNC, 4096, 0), 0);
		rig_close(&r);
	}
}
END_TEST

START_TEST(trim_makes_a_hole)
{
	const char *path = rig_file(MB);
	struct stat before, after;
	struct rig r;

	if (!(all[_i]->caps & IOB_ENGINE_TRIM))
		return;
	rig_init(&r, all[_i], path, O_RDWR, 4, 65536);
	r.env.caps_wanted = IOB_ENGINE_TRIM;
	rig_start(&r);
	fstat(r.target.fd, &before);
	rig_io(&r, 0, IOB_OP_TRIM, 65536, 65536);
	rig_io(&r, 1, IOB_OP_READ, 0, 4096);
	rig_io(&r, 2, IOB_OP_TRIM, 524288, 4096);
	rig_run(&r, 3);
	ck_assert_int_eq(r.io[0].result, 65536);
	ck_assert_int_eq(r.io[1].result, 4096);
	ck_assert_int_eq(r.io[2].result, 4096);
	fstat(r.target.fd, &after);
	ck_assert_int_eq(after.st_size, before.st_size);
	ck_assert_int_eq(before.st_blocks - after.st_blocks, (65536 + 4096) / 512);
	ck_assert_int_eq(lseek(r.target.fd, 0, SEEK_HOLE), 65536);
	ck_assert_int_eq(lseek(r.target.fd, 65536, SEEK_DATA), 131072);
	ck_assert_int_eq(lseek(r.target.fd, 131072, SEEK_HOLE), 524288);
	check_file(path, 131072, 4096, 0);
	/* A read in the same slots of the ring is a plain read again. */
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 131072, 4096), 4096);
		rig_check(rig_buf(&r, 0), 131072, 4096, 0);
	}
	rig_close(&r);
}
END_TEST

/* sync=data and sync=all on a mapping, which the descriptor's flags do not reach. */
START_TEST(mmap_syncs_each_write)
{
	for (unsigned sync = 1; sync <= 2; sync++) {
		const char *path = rig_file(MB);
		struct rig r;

		rig_init(&r, &iobi_engine_mmap, path, O_RDWR, 1, 8192);
		r.env.sync = sync;
		rig_start(&r);
		rig_fill(rig_buf(&r, 0), 5000, 8192, 9);
		ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 5000, 8192), 8192);
		check_file(path, 5000, 8192, 9);
		rig_close(&r);
	}
}
END_TEST

static int kernel_is(int major, int minor)
{
	struct utsname u;
	int a = 0, b = 0;

	uname(&u);
	sscanf(u.release, "%d.%d", &a, &b);
	return a > major || (a == major && b >= minor);
}

START_TEST(features_are_told)
{
	struct rig r;

	rig_init(&r, &iobi_engine_io_uring, rig_file(MB), O_RDONLY, 4, 4096);
	rig_start(&r);
	ck_assert_ptr_nonnull(strstr(r.features, "fixed_files fixed_buffers"));
	if (kernel_is(6, 1))
		ck_assert_ptr_nonnull(strstr(r.features, "single_issuer defer_taskrun"));
	rig_close(&r);
	rig_init(&r, &iobi_engine_posixaio, NULL, O_RDONLY, 20, 4096);
	rig_start(&r);
	ck_assert_str_eq(r.features, "");
	rig_close(&r);
	rig_init(&r, &iobi_engine_posixaio, NULL, O_RDONLY, 21, 4096);
	r.env.features_len = 8; /* cut, not overrun */
	rig_start(&r);
	ck_assert_str_eq(r.features, "threads");
	rig_close(&r);
}
END_TEST

/* 1.5 GiB of address space, over and over the same 2 MiB. */
static void *alias_memory(size_t bytes)
{
	const size_t piece = 2 * MB;
	int fd = memfd_create("alias", 0);
	char *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	ck_assert_int_eq(ftruncate(fd, piece), 0);
	for (size_t i = 0; i < bytes; i += piece)
		ck_assert_ptr_ne(
			mmap(at + i, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0),
			MAP_FAILED);
	close(fd);
	return at;
}

/* Registered buffers are 1 GiB at the most: five of 300 MiB take three. */
START_TEST(many_large_buffers)
{
	struct rig r;

	rig_init(&r, &iobi_engine_io_uring, rig_file(MB), O_RDONLY, 5, 4096);
	munmap(r.env.buffers, r.env.buffer_len);
	r.env.buffer_stride = 300 * (size_t)MB + 65536;
	r.env.buffer_len = (5 * r.env.buffer_stride + 2 * MB - 1) / (2 * MB) * (2 * MB);
	r.env.buffers = alias_memory(r.env.buffer_len);
	rig_start(&r);
	ck_assert_ptr_nonnull(strstr(r.features, "fixed_buffers"));
	for (unsigned i = 0; i < 5; i++)
		rig_io(&r, i, IOB_OP_READ, i * 8192, 4096);
	rig_run(&r, 5);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(r.io[i].result, 4096);
		rig_check(rig_buf(&r, i), i * 8192, 4096, 0);
	}
	rig_close(&r);
}
END_TEST

START_TEST(engines_are_found)
{
	struct iob_error err = { 0 };

	ck_assert_str_eq(iob_engine_get(0)->name, "null");
	ck_assert_str_eq(iob_engine_get(5)->name, "posixaio");
	ck_assert_ptr_null(iob_engine_get(6));
	for (size_t i = 0; iob_engine_get(i); i++)
		ck_assert_ptr_eq(iobi_engine_find(iob_engine_get(i)->name, NULL),
				 iob_engine_get(i));
	ck_assert_ptr_null(iobi_engine_find("io_urng", &err));
	ck_assert_int_eq(err.code, ENOENT);
	ck_assert_str_eq(err.where, "engine");
	ck_assert_ptr_nonnull(strstr(err.message, "\"io_urng\"; did you mean io_uring?"));
	ck_assert_ptr_nonnull(
		strstr(err.message, "auto, null, psync, libaio, io_uring, mmap, posixaio"));
	ck_assert_ptr_eq(iobi_engine_auto(0, NULL), &iobi_engine_io_uring);
	ck_assert_ptr_eq(iobi_engine_auto(IOB_ENGINE_TRIM | IOB_ENGINE_FDATASYNC, NULL),
			 &iobi_engine_io_uring);
	ck_assert_ptr_null(iobi_engine_auto(IOB_ENGINE_NO_TARGET, &err));
	ck_assert_uint_eq(iobi_engine_max_depth(&iobi_engine_io_uring), 32768);
	ck_assert_uint_eq(iobi_engine_max_depth(&iobi_engine_libaio), UINT32_MAX);
	ck_assert_str_eq(iobi_op_name(IOB_OP_TRIM), "trim");
	ck_assert_str_eq(iobi_op_name(5), "?");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("engines");
	TCase *c = tcase_create("data");

	tcase_add_loop_test(c, written_data_is_there, 0, DATA);
	tcase_add_loop_test(c, reads_are_right, 0, DATA);
	tcase_add_loop_test(c, direct_reads_are_right, 0, DATA);
	tcase_add_loop_test(c, a_deep_queue, ASYNC_FIRST, DATA);
	tcase_add_loop_test(c, each_io_has_its_own_result, 0, DATA);
	tcase_add_loop_test(c, the_end_of_a_file_is_short, 0, DATA);
	tcase_add_loop_test(c, sync_is_done, 0, DATA);
	tcase_add_loop_test(c, trim_makes_a_hole, 0, DATA);
	tcase_add_test(c, mmap_syncs_each_write);
	tcase_add_test(c, many_large_buffers);
	tcase_add_test(c, null_does_nothing_in_order);
	suite_add_tcase(s, c);
	c = tcase_create("waiting");
	tcase_add_loop_test(c, reap_keeps_its_bounds, ASYNC_FIRST, DATA);
	tcase_add_loop_test(c, a_timeout_is_kept, ASYNC_FIRST, ALL);
	tcase_add_loop_test(c, a_wake_ends_the_wait, ASYNC_FIRST, ALL);
	suite_add_tcase(s, c);
	c = tcase_create("names");
	tcase_add_test(c, features_are_told);
	tcase_add_test(c, engines_are_found);
	suite_add_tcase(s, c);
	return s;
}

int main(void)
{
	int error = dev_begin();

	if (error)
		return fprintf(stderr, "no scratch directory: %s\n", strerror(-error)),
		       EXIT_FAILURE;
	return iob_test_run(suite());
}
