/* SPDX-License-Identifier: MIT */
/* What each engine says when it cannot work, at its own seam; and that a file
 * which shrinks under a mapping is an I/O error, not a signal. ctest: serial */
#include "engine/engines.h"
#include "support/device.h"
#include "support/rig.h"
#include "support/test.h"
#include "support/nomem.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct iob_engine_ops *const all[] = { &iobi_engine_psync,    &iobi_engine_mmap,
						    &iobi_engine_libaio,   &iobi_engine_io_uring,
						    &iobi_engine_posixaio, &iobi_engine_null };
enum { MB = 1 << 20 };

/* From now on these calls fail with `code` in this process. */
static void deny(int call, int other, int code)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)other, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { IOBI_LEN(filter), filter };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static void expect(const struct iob_error *err, int code, const char *where,
		   const char *const *words)
{
	ck_assert_msg(err->code == code, "code %d: %s", err->code, err->message);
	ck_assert_str_eq(err->where, where);
	for (; *words; words++)
		ck_assert_msg(strstr(err->message, *words), "\"%s\" is not in: %s", *words,
			      err->message);
}

/* The engine's open fails so; nothing is left open by it. */
static void refused(struct rig *r, int code, const char *where, const char *const *words)
{
	struct iob_error err = { 0 };
	int before = dup(0), after;

	close(before);
	ck_assert_int_eq(rig_open(r, &err), -code);
	expect(&err, code, where, words);
	ck_assert_ptr_null(r->state);
	after = dup(0);
	ck_assert_int_eq(after, before);
	close(after);
	rig_close(r);
}

static void probe_and_open(const struct iob_engine_ops *ops, int code, const char *const *words)
{
	struct iob_error err = { 0 };
	struct rig r;

	ck_assert_int_eq(ops->probe(&err), -code);
	expect(&err, code, "engine", words);
	rig_init(&r, ops, rig_file(4096), O_RDONLY, 4, 4096);
	refused(&r, code, "engine", words);
}

START_TEST(io_uring_by_seccomp)
{
	static const char *const words[] = { "seccomp", "libaio", "psync", NULL };

	deny(SYS_io_uring_setup, SYS_io_uring_setup, EPERM);
	probe_and_open(&iobi_engine_io_uring, EPERM, words);
	ck_assert_ptr_eq(iobi_engine_auto(0, NULL), &iobi_engine_libaio);
	ck_assert_ptr_eq(iobi_engine_auto(IOB_ENGINE_TRIM, NULL), &iobi_engine_psync);
}
END_TEST

START_TEST(io_uring_hidden)
{
	static const char *const words[] = { "5.1", "seccomp", "libaio", "psync", NULL };

	deny(SYS_io_uring_setup, SYS_io_uring_setup, ENOSYS);
	probe_and_open(&iobi_engine_io_uring, ENOSYS, words);
}
END_TEST

START_TEST(io_uring_by_sysctl)
{
	static const char *const words[] = { "kernel.io_uring_disabled is 2", "libaio", "psync",
					     NULL };

	ck_assert_int_eq(dev_setting("/proc/sys/kernel/io_uring_disabled", "2"), 0);
	probe_and_open(&iobi_engine_io_uring, EPERM, words);
}
END_TEST

START_TEST(io_uring_too_deep)
{
	static const char *const words[] = { "32768", "not 32769", "libaio", NULL };
	struct rig r;

	rig_init(&r, &iobi_engine_io_uring, rig_file(4096), O_RDONLY, 32769, 512);
	refused(&r, EINVAL, "queue_depth", words);
	rig_init(&r, &iobi_engine_io_uring, rig_file(4096), O_RDONLY, 32768, 512);
	rig_start(&r);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 0, 512), 512);
	rig_close(&r);
}
END_TEST

START_TEST(io_uring_without_descriptors)
{
	struct iob_error err = { 0 };
	static const char *const words[] = { "ulimit -n", NULL };
	int next = dup(0);
	struct rlimit had, limit;

	close(next);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &had), 0);
	limit = (struct rlimit){ (rlim_t)next, had.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	int rc = iobi_engine_io_uring.probe(&err);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &had), 0); /* the leak checker opens files */
	ck_assert_int_eq(rc, -EMFILE);
	expect(&err, EMFILE, "engine", words);
}
END_TEST

static void be_nobody(rlim_t locked)
{
	const struct rlimit limit = { locked, locked };

	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
}

/* Locked memory for the ring, not for the buffers: they are not registered. */
START_TEST(io_uring_without_locked_buffers)
{
	struct rig r;

	rig_init(&r, &iobi_engine_io_uring, rig_file(MB), O_RDONLY, 8, 65536);
	be_nobody(65536);
	rig_start(&r);
	ck_assert_ptr_null(strstr(r.features, "fixed_buffers"));
	ck_assert_ptr_nonnull(strstr(r.features, "fixed_files"));
	for (unsigned i = 0; i < 8; i++)
		rig_io(&r, i, IOB_OP_READ, i * 65536, 65536);
	rig_run(&r, 8);
	for (unsigned i = 0; i < 8; i++)
		rig_check(rig_buf(&r, i), i * 65536, 65536, 0);
	rig_close(&r);
}
END_TEST

/* Not even for the ring, on a kernel that counts it. */
START_TEST(io_uring_without_locked_memory)
{
	static const char *const words[] = { "RLIMIT_MEMLOCK", "is 0 KiB", "libaio", NULL };
	struct iob_error err = { 0 };
	struct rig r;

	rig_init(&r, &iobi_engine_io_uring, rig_file(MB), O_RDONLY, 8, 65536);
	be_nobody(0);
	if (rig_open(&r, &err) >= 0)
		r.ops->close(r.state);
	else
		expect(&err, ENOMEM, "engine", words);
	r.state = NULL;
	rig_close(&r);
}
END_TEST

/* A kernel without registration at all. */
START_TEST(io_uring_without_registration)
{
	struct rig r;

	deny(SYS_io_uring_register, SYS_io_uring_register, EPERM);
	rig_init(&r, &iobi_engine_io_uring, rig_file(MB), O_RDWR, 8, 4096);
	rig_start(&r);
	ck_assert_ptr_null(strstr(r.features, "registered"));
	ck_assert_ptr_null(strstr(r.features, "fixed"));
	rig_fill(rig_buf(&r, 0), 8192, 4096, 5);
	ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 8192, 4096), 4096);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 4096, 4096), 4096);
	rig_check(rig_buf(&r, 0), 4096, 4096, 0);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 8192, 4096), 4096);
	rig_check(rig_buf(&r, 0), 8192, 4096, 5);
	rig_close(&r);
}
END_TEST

START_TEST(libaio_exhausted)
{
	static const char *const words[] = { "/proc/sys/fs/aio-max-nr", "is 1000",  "are taken",
					     "for 2000 requests",       "io_uring", NULL };
	struct rig r;

	ck_assert_int_eq(dev_setting("/proc/sys/fs/aio-max-nr", "1000"), 0);
	rig_init(&r, &iobi_engine_libaio, rig_file(4096), O_RDONLY, 2000, 512);
	refused(&r, EAGAIN, "queue_depth", words);
	rig_init(&r, &iobi_engine_libaio, rig_file(4096), O_RDONLY, 8, 512);
	rig_start(&r);
	rig_close(&r);
}
END_TEST

START_TEST(libaio_by_seccomp)
{
	static const char *const words[] = { "io_setup", "seccomp", "psync", NULL };

	deny(SYS_io_setup, SYS_io_setup, EPERM);
	probe_and_open(&iobi_engine_libaio, EPERM, words);
}
END_TEST

START_TEST(posixaio_without_descriptors)
{
	static const char *const words[] = { "64 x 1 targets", "ulimit -n", "EMFILE", NULL };
	const struct rlimit few = { 32, 32 };
	struct rig r;

	rig_init(&r, &iobi_engine_posixaio, rig_file(4096), O_RDONLY, 64, 512);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	refused(&r, EMFILE, "engine", words);
}
END_TEST

START_TEST(polling_needs_a_device_that_polls)
{
	static const char *const words[] = { "io_poll", "poll=false", NULL };
	static const char *const direct[] = { "O_DIRECT", "direct=true", NULL };
	static const char *const plain[] = { "only reads and writes", "psync", NULL };
	struct rig r;

	rig_init(&r, &iobi_engine_psync, rig_file(4096), O_RDONLY | O_DIRECT, 1, 4096);
	r.env.caps_wanted = IOB_ENGINE_POLL;
	refused(&r, EOPNOTSUPP, "poll", words);
	rig_init(&r, &iobi_engine_io_uring, rig_file(4096), O_RDONLY | O_DIRECT, 1, 4096);
	r.env.caps_wanted = IOB_ENGINE_POLL;
	refused(&r, EOPNOTSUPP, "poll", words);
	rig_init(&r, &iobi_engine_io_uring, rig_file(4096), O_RDONLY, 1, 4096);
	r.env.caps_wanted = IOB_ENGINE_POLL;
	refused(&r, EINVAL, "poll", direct);
	rig_init(&r, &iobi_engine_io_uring, rig_file(4096), O_RDONLY, 1, 4096);
	r.env.caps_wanted = IOB_ENGINE_POLL | IOB_ENGINE_FSYNC;
	refused(&r, EINVAL, "poll", plain);
}
END_TEST

/* A failed allocation, each in turn: ENOMEM, and nothing is left behind. */
START_TEST(no_memory)
{
	int failed = 0;
	struct rig r;

	rig_init(&r, all[_i], rig_file(4096), O_RDONLY, 4, 4096);
	for (int n = 0; n < 50 && nomem_at(n); n++) {
		struct iob_error err = { 0 };
		int rc = rig_open(&r, &err);

		if (!nomem_hit())
			break;
		if (rc >= 0) { /* it can do without: registered buffers */
			ck_assert_ptr_eq(all[_i], &iobi_engine_io_uring);
			ck_assert_ptr_null(strstr(r.features, "fixed_buffers"));
			r.ops->close(r.state);
		} else {
			ck_assert_int_eq(rc, -ENOMEM);
			ck_assert_int_eq(err.code, ENOMEM);
			failed++;
		}
		r.state = NULL;
		memset(r.features, 0, sizeof(r.features));
	}
	ck_assert_int_ge(failed, nomem_works());
	if (r.state)
		r.ops->close(r.state);
	r.state = NULL;
	rig_start(&r);
	rig_close(&r);
}
END_TEST

START_TEST(write_needs_a_descriptor_for_it)
{
	struct rig r;

	if (all[_i] == &iobi_engine_mmap)
		return;
	rig_init(&r, all[_i], rig_file(MB), O_RDONLY, 2, 4096);
	rig_start(&r);
	ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 0, 4096), -EBADF);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 0, 4096), 4096);
	rig_close(&r);
}
END_TEST

/* A mapping that may not be written, and one that cannot be made. */
START_TEST(mmap_without_permission)
{
	static const char *const words[] = { "cannot map", "EACCES", "psync", NULL };
	struct rig r;

	rig_init(&r, &iobi_engine_mmap, rig_file(MB), O_RDONLY, 1, 4096);
	rig_start(&r);
	ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 0, 4096), -EIO);
	rig_close(&r);
	rig_init(&r, &iobi_engine_mmap, rig_file(MB), O_RDONLY, 1, 4096);
	r.env.writes = 1;
	refused(&r, EACCES, "engine", words);
}
END_TEST

static void shrink(int without_process_vm)
{
	const char *path = rig_file(MB);
	struct rig r;

	if (without_process_vm)
		deny(SYS_process_vm_readv, SYS_process_vm_writev, EPERM);
	rig_init(&r, &iobi_engine_mmap, path, O_RDWR, 1, 16384);
	rig_start(&r);
	ck_assert_str_eq(r.features, without_process_vm ? "proc_mem" : "process_vm");
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 65536, 16384), 16384);
	rig_check(rig_buf(&r, 0), 65536, 16384, 0);
	rig_fill(rig_buf(&r, 0), 65536, 16384, 1);
	ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 65536, 16384), 16384);
	ck_assert_int_eq(truncate(path, 65536 + 8192), 0);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 131072, 4096), -EIO);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 65536, 16384), -EIO); /* half of it is there */
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 65536, 8192), 8192);
	rig_check(rig_buf(&r, 0), 65536, 8192, 1);
	ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 131072, 4096), -EIO);
	ck_assert_int_eq(rig_one(&r, IOB_OP_SYNC, 0, 0), 0);
	rig_close(&r);
}

START_TEST(mmap_of_a_file_that_shrank)
{
	shrink(0);
}
END_TEST

START_TEST(mmap_without_process_vm)
{
	shrink(1);
}
END_TEST

static atomic_int stop;

static void *shrink_and_grow(void *path)
{
	while (!atomic_load(&stop)) {
		if (truncate(path, 0) || truncate(path, MB))
			return NULL;
	}
	return path;
}

/* Truncated at any moment: every I/O moves all or fails with EIO. */
START_TEST(mmap_of_a_file_that_shrinks)
{
	char path[256];
	unsigned long whole = 0, failed = 0;
	pthread_t thread;
	void *ok;
	struct rig r;

	snprintf(path, sizeof(path), "%s", rig_file(MB));
	rig_init(&r, &iobi_engine_mmap, path, O_RDWR, 1, 16384);
	rig_start(&r);
	ck_assert_int_eq(pthread_create(&thread, NULL, shrink_and_grow, path), 0);
	for (double end = rig_ms() + 1500; rig_ms() < end;) {
		int result = rig_one(&r, (whole + failed) % 2 ? IOB_OP_WRITE : IOB_OP_READ,
				     (whole + failed) % 60 * 16384, 16384);

		ck_assert(result == 16384 || result == -EIO);
		result < 0 ? failed++ : whole++;
	}
	atomic_store(&stop, 1);
	pthread_join(thread, &ok);
	ck_assert_ptr_nonnull(ok);
	ck_assert_uint_gt(whole, 0);
	ck_assert_uint_gt(failed, 0);
	rig_close(&r);
}
END_TEST

/* After the fork's end: a setting of the whole system comes back before the next test. */
static void put_back(void)
{
	dev_end();
	if (dev_begin())
		abort();
}

static void add(Suite *s, const char *name, const TTest *test, int n)
{
	TCase *t = tcase_create(name);

	tcase_add_unchecked_fixture(t, NULL, put_back);
	if (n)
		tcase_add_loop_test(t, test, 0, n);
	else
		tcase_add_test(t, test);
	suite_add_tcase(s, t);
}

static Suite *suite(void)
{
	Suite *s = suite_create("engine faults");

	add(s, "io_uring_by_seccomp", io_uring_by_seccomp, 0);
	add(s, "io_uring_hidden", io_uring_hidden, 0);
	add(s, "io_uring_by_sysctl", io_uring_by_sysctl, 0);
	add(s, "io_uring_too_deep", io_uring_too_deep, 0);
	add(s, "io_uring_without_descriptors", io_uring_without_descriptors, 0);
	add(s, "io_uring_without_locked_buffers", io_uring_without_locked_buffers, 0);
	add(s, "io_uring_without_locked_memory", io_uring_without_locked_memory, 0);
	add(s, "io_uring_without_registration", io_uring_without_registration, 0);
	add(s, "libaio_exhausted", libaio_exhausted, 0);
	add(s, "libaio_by_seccomp", libaio_by_seccomp, 0);
	add(s, "posixaio_without_descriptors", posixaio_without_descriptors, 0);
	add(s, "polling_needs_a_device_that_polls", polling_needs_a_device_that_polls, 0);
	add(s, "no_memory", no_memory, 6);
	add(s, "write_needs_a_descriptor_for_it", write_needs_a_descriptor_for_it,
	    4 + RIG_POSIXAIO);
	add(s, "mmap_without_permission", mmap_without_permission, 0);
	add(s, "mmap_of_a_file_that_shrank", mmap_of_a_file_that_shrank, 0);
	add(s, "mmap_without_process_vm", mmap_without_process_vm, 0);
	add(s, "mmap_of_a_file_that_shrinks", mmap_of_a_file_that_shrinks, 0);
	return s;
}

int main(void)
{
	int error = dev_begin();

	if (error) {
		printf("no scratch directory: %s\n", strerror(-error));
		return IOB_TEST_SKIPPED;
	}
	if (geteuid()) {
		printf("skipped: needs root, for the settings of the system\n");
		return IOB_TEST_SKIPPED;
	}
	return iob_test_run(suite());
}
