/* SPDX-License-Identifier: MIT */
/* Engines that the system refuses: the error says what refused it and what to do;
 * engine=auto goes on with the next one and says so. ctest: serial */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char file[512];

/* From now on the call fails with `code` in this process. */
static void deny(int call, int code)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* Both the check and the run refuse it, with these words in the message. */
static void check_refused(const char *parameters, const char *where, const char *const *words)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work(parameters, file, 0);
	int code = iob_workload_check(w, &err);
	ck_assert_int_lt(code, 0);
	ck_assert_int_eq(err.code, -code);
	ck_assert_str_eq(err.where, where);
	for (; *words; words++)
		ck_assert_msg(strstr(err.message, *words), "\"%s\" is not in: %s", *words,
			      err.message);
	memset(&err, 0, sizeof(err));
	ck_assert_ptr_null(iob_workload_run(w, &err));
	ck_assert_int_eq(err.code, -code);
	iob_workload_free(w);
}

static void check_auto(const char *engine)
{
	struct iob_result *r = work_run("engine=auto runtime=100ms", file, 0);
	ck_assert_str_eq(iob_result_effective(r, "engine"), engine);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 10);
	iob_result_free(r);
}

START_TEST(io_uring_by_seccomp)
{
	static const char *const words[] = { "seccomp", "libaio", "psync", NULL };
	deny(SYS_io_uring_setup, EPERM);
	check_refused("engine=io_uring", "engine", words);
	check_auto("libaio");
}
END_TEST

START_TEST(io_uring_that_may_not_be_entered)
{
	static const char *const words[] = { "seccomp", "libaio or psync", NULL };
	deny(SYS_io_uring_enter, EPERM);
	check_refused("engine=io_uring runtime=100ms", "engine", words);
	check_auto("libaio");
}
END_TEST

/* What asked for a core and got any would be told as if it had that core. */
START_TEST(cores_that_cannot_be_had)
{
	struct iob_error err = { 0 };
	deny(SYS_sched_setaffinity, EPERM);
	struct iob_workload *w = work("cpus=0 runtime=100ms", file, 0);
	ck_assert_ptr_null(iob_workload_run(w, &err));
	ck_assert_int_eq(err.code, EPERM);
	ck_assert_str_eq(err.where, "cpus");
	iob_workload_free(w);
}
END_TEST

START_TEST(io_uring_not_in_the_kernel)
{
	static const char *const words[] = { "io_uring", "libaio", "psync", NULL };
	deny(SYS_io_uring_setup, ENOSYS);
	check_refused("engine=io_uring", "engine", words);
	check_auto("libaio");
}
END_TEST

START_TEST(io_uring_by_sysctl)
{
	static const char *const words[] = { "kernel.io_uring_disabled", "libaio", "psync", NULL };
	ck_assert_int_eq(dev_setting("/proc/sys/kernel/io_uring_disabled", "2"), 0);
	check_refused("engine=io_uring", "engine", words);
	check_auto("libaio");
}
END_TEST

START_TEST(libaio_without_contexts)
{
	static const char *const words[] = { "fs.aio-max-nr", NULL };
	ck_assert_int_eq(dev_setting("/proc/sys/fs/aio-max-nr", "0"), 0);
	check_refused("engine=libaio queue_depth=64", "queue_depth", words);
	check_auto("io_uring");
}
END_TEST

START_TEST(neither_of_them)
{
	deny(SYS_io_uring_setup, EPERM);
	ck_assert_int_eq(dev_setting("/proc/sys/fs/aio-max-nr", "0"), 0);
	check_auto("psync");
}
END_TEST

/* As nobody, who may lock so many bytes of memory. */
static void become_nobody(rlim_t memlock)
{
	struct rlimit limit = { memlock, memlock };
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	ck_assert_int_eq(chown(file, 65534, 65534), 0);
	ck_assert_int_eq(chmod(dev_dir(), 0711), 0);
	ck_assert_int_eq(setresgid(65534, 65534, 65534), 0);
	ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
}

START_TEST(io_uring_without_locked_memory)
{
	static const char *const words[] = { "RLIMIT_MEMLOCK", "libaio", "psync", NULL };
	struct iob_error err = { 0 };
	const struct iob_engine_ops *e;
	for (size_t i = 0; strcmp((e = iob_engine_get(i))->name, "io_uring");)
		i++;
	become_nobody(0);
	if (e->probe(&err) == 0)
		return; /* rings are not counted as locked memory on this kernel */
	check_refused("engine=io_uring", "engine", words);
	check_auto("libaio");
}
END_TEST

/* Buffers that may not be pinned are used unpinned, and the result says what it had. */
START_TEST(io_uring_without_pinned_buffers)
{
	become_nobody(256 << 10);
	struct iob_result *r =
		work_run("engine=io_uring queue_depth=8 block_size=64k runtime=100ms", file, 0);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 10);
	const char *features = iob_result_effective(r, "engine_features");
	ck_assert_ptr_nonnull(features);
	ck_assert_msg(!strstr(features, "buffers"), "features: %s", features);
	iob_result_free(r);
	r = work_run("engine=io_uring queue_depth=1 block_size=4k runtime=100ms", file, 0);
	features = iob_result_effective(r, "engine_features");
	ck_assert_msg(strstr(features, "buffers"), "features: %s", features);
	iob_result_free(r);
}
END_TEST

/* In the process that does not fork: a setting of the whole system comes back before
 * the next test, however this one ended. */
static void put_back(void)
{
	dev_end();
	if (dev_begin())
		abort();
	snprintf(file, sizeof(file), "%s/file", dev_dir());
	work_file(file, 1 << 20, 7);
}

static void add(Suite *s, const char *name, const TTest *test)
{
	TCase *t = tcase_create(name);
	tcase_add_unchecked_fixture(t, NULL, put_back);
	tcase_add_test(t, test);
	suite_add_tcase(s, t);
}

static Suite *suite(void)
{
	Suite *s = suite_create("denied");
	put_back();
	add(s, "seccomp", io_uring_by_seccomp);
	add(s, "kernel", io_uring_not_in_the_kernel);
	add(s, "entered", io_uring_that_may_not_be_entered);
	add(s, "cores", cores_that_cannot_be_had);
	if (geteuid()) {
		puts("without root, no settings of the system are changed");
		return s;
	}
	add(s, "sysctl", io_uring_by_sysctl);
	add(s, "contexts", libaio_without_contexts);
	add(s, "neither", neither_of_them);
	add(s, "memlock", io_uring_without_locked_memory);
	add(s, "pinned", io_uring_without_pinned_buffers);
	return s;
}

IOB_TEST_MAIN(suite)
