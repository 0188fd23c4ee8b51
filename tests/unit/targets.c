/* SPDX-License-Identifier: MIT */
/* Several targets of one workload: flushed and counted each on its own, made
 * all or none; and engines that break their word, which costs the memory that
 * they may still use. ctest: novalgrind */
#include "base/base.h"
#include "support/test.h"
#include "support/work.h"
#include "target/target.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static char dir[] = "/tmp/iobench-targets.XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[4][64];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

/* ---- engines of the test's own ---- */

struct script {
	unsigned lie_in_submit, lie_in_reap; /* I/Os more than there are */
	_Atomic unsigned n;
	struct iob_io log[256];
};

struct state {
	struct script *script;
	struct iob_io *flying[64];
	unsigned n;
};

static int engine_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct state *s = calloc(1, sizeof(*s));
	s->script = env->user;
	*state = s;
	return 0;
}

static int sync_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct script *s = ((struct state *)state)->script;
	unsigned at = atomic_fetch_add(&s->n, 1);
	ios[0]->result = (int32_t)ios[0]->len;
	if (at < IOBI_LEN(s->log))
		s->log[at] = *ios[0];
	return 1;
}

static int async_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct state *s = state;
	for (unsigned i = 0; i < n; i++) {
		ios[i]->result = (int32_t)ios[i]->len;
		s->flying[s->n++] = ios[i];
	}
	return (int)(n + s->script->lie_in_submit);
}

static int async_reap(void *state, struct iob_io **done, unsigned min, unsigned max, int64_t ns)
{
	struct state *s = state;
	unsigned n = s->n;
	memcpy(done, s->flying, n * sizeof(struct iob_io *));
	s->n = 0;
	return (int)(n + (n ? s->script->lie_in_reap : 0));
}

static void engine_close(void *state)
{
	free(state);
}

static const struct iob_engine_ops sync_ops = {
	.size = sizeof(sync_ops),
	.caps = IOB_ENGINE_SYNC | IOB_ENGINE_FSYNC,
	.name = "sync",
	.open = engine_open,
	.submit = sync_submit,
	.close = engine_close,
};
static const struct iob_engine_ops async_ops = {
	.size = sizeof(async_ops),
	.caps = IOB_ENGINE_NO_TARGET,
	.name = "async",
	.open = engine_open,
	.submit = async_submit,
	.reap = async_reap,
	.close = engine_close,
};

/* ---- flushed and counted each on its own ---- */

static struct iob_workload *on_two(const char *parameters, const char *a, const char *b,
				   unsigned flags)
{
	struct iob_workload *w = work(parameters, in_dir(a), flags);
	ck_assert_int_eq(iob_workload_add_target(w, in_dir(b), flags, NULL), 0);
	return w;
}

/* By turns, and yet both are flushed: after the third write of each. */
START_TEST(each_target_is_flushed_after_its_own_writes)
{
	struct script s = { 0 };
	struct iob_workload *w = on_two("io_size=48k runtime=0 read_percent=0 fsync_every=3", "a",
					"b", IOB_TARGET_ALLOW_DESTROY);
	unsigned writes[2] = { 0 }, flushes[2] = { 0 };
	ck_assert_int_eq(iob_workload_set_engine(w, &sync_ops, &s, NULL), 0);
	struct iob_result *r = iob_workload_run(w, NULL);
	ck_assert_ptr_nonnull(r);
	for (unsigned i = 0; i < s.n; i++) {
		const struct iob_io *io = &s.log[i];
		if (io->op == IOB_OP_WRITE) {
			writes[io->target]++;
			continue;
		}
		ck_assert_int_eq(io->op, IOB_OP_SYNC);
		ck_assert_uint_eq(writes[io->target], 3 * ++flushes[io->target]);
	}
	ck_assert_uint_eq(writes[0], 6);
	ck_assert_uint_eq(writes[1], 6);
	ck_assert_uint_eq(flushes[0], 2);
	ck_assert_uint_ge(flushes[1], 1); /* the last is owed before the 13th write */
	iob_result_free(r);
	iob_workload_free(w);
}
END_TEST

static void check_sums(struct iob_workload *w)
{
	struct iob_result *r = iob_workload_run(w, NULL);
	uint64_t ios = 0, bytes = 0;
	ck_assert_ptr_nonnull(r);
	for (size_t i = 0; i < iob_result_target_count(r); i++) {
		ios += iob_result_target(r, i)->ios;
		bytes += iob_result_target(r, i)->bytes;
	}
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_SYNC, IOB_COUNT_IOS), 0);
	ck_assert_uint_eq(ios, iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS));
	ck_assert_uint_eq(bytes, iob_result_count(r, IOB_OP_ALL, IOB_COUNT_BYTES));
	iob_result_free(r);
	iob_workload_free(w);
}

START_TEST(what_targets_got_adds_up)
{
	const char *parameters =
		"io_size=200k runtime=0 read_percent=40 fsync_every=2 direct=false "
		"engine=psync";
	check_sums(work(parameters, in_dir("a"), IOB_TARGET_ALLOW_DESTROY));
	check_sums(on_two(parameters, "a", "b", IOB_TARGET_ALLOW_DESTROY));
}
END_TEST

/* ---- made all or none ---- */

static int exists(const char *name)
{
	struct stat st;
	return !stat(in_dir(name), &st);
}

START_TEST(files_must_fit_together)
{
	struct iob_error err = { 0 };
	struct statvfs fs;
	char parameters[128];
	ck_assert_int_eq(statvfs(dir, &fs), 0);
	unsigned long long most = (unsigned long long)fs.f_bavail * fs.f_frsize;
	snprintf(parameters, sizeof(parameters), "direct=false size=%llu", most / 10 * 6);
	struct iob_workload *one = work(parameters, in_dir("c"), IOB_TARGET_CREATE);
	struct iob_workload *two = on_two(parameters, "c", "d", IOB_TARGET_CREATE);
	ck_assert_msg(iob_workload_check(one, &err) == 0, "%s", err.message);
	ck_assert_int_eq(iob_workload_check(two, &err), -ENOSPC);
	ck_assert_str_eq(err.where, "size");
	ck_assert_ptr_null(iob_workload_run(two, &err));
	ck_assert_int_eq(err.code, ENOSPC);
	ck_assert(!exists("c") && !exists("d"));
	iob_workload_free(one);
	iob_workload_free(two);
}
END_TEST

/* The sum of 2,000 sizes is made once. */
START_TEST(many_files_are_planned_soon)
{
	struct iob_workload *w = work("direct=false size=4k", NULL, 0);
	struct timespec from, to;
	for (int i = 0; i < 2000; i++) {
		char path[96];
		snprintf(path, sizeof(path), "%s/many%d", dir, i);
		ck_assert_int_eq(iob_workload_add_target(w, path, IOB_TARGET_CREATE, NULL), 0);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	ck_assert_int_eq(iob_workload_check(w, NULL), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	ck_assert_int_lt(to.tv_sec - from.tv_sec, 10);
	iob_workload_free(w);
}
END_TEST

/* The second name is that of the first file, which is there by then. */
START_TEST(files_are_made_all_or_none)
{
	struct iob_error err = { 0 };
	struct iob_workload *w =
		on_two("direct=false size=64k runtime=10ms", "e", "./e", IOB_TARGET_CREATE);
	ck_assert_ptr_null(iob_workload_run(w, &err));
	ck_assert_int_eq(err.code, EEXIST);
	ck_assert(!exists("e"));
	iob_workload_free(w);
	w = on_two("direct=false size=64k runtime=10ms", "e", "f", IOB_TARGET_CREATE);
	struct iob_result *r = iob_workload_run(w, &err);
	ck_assert_msg(r, "%s", err.message);
	ck_assert(exists("e") && exists("f"));
	iob_result_free(r);
	iob_workload_free(w);
}
END_TEST

/* Somebody takes the name of a file while it is filled. */
static int take_its_name(void *user, uint64_t done)
{
	FILE *other = fopen(in_dir("other"), "w");
	ck_assert(other && fputs("precious", other) >= 0 && !fclose(other));
	ck_assert_int_eq(rename(in_dir("other"), in_dir("g")), 0);
	return *(int *)user;
}

static void keeps_the_other(int go_on, int code)
{
	struct iob_error err = { 0 };
	struct iobi_making how = { 64 << 10, IOBI_LAYOUT_FILLED };
	struct iobi_target t;
	char text[16] = "";
	ck_assert_int_eq(iobi_target_init(&t, in_dir("g"), IOB_TARGET_CREATE, &err), 0);
	ck_assert_int_eq(iobi_target_create(&t, &how, take_its_name, &go_on, &err), -code);
	FILE *f = fopen(in_dir("g"), "r");
	ck_assert(f && fgets(text, sizeof(text), f) && !fclose(f));
	ck_assert_str_eq(text, "precious");
	iobi_target_free(&t);
	unlink(in_dir("g"));
}

START_TEST(a_name_that_is_taken_meanwhile)
{
	keeps_the_other(1, EEXIST);
	keeps_the_other(0, ECANCELED);
}
END_TEST

/* ---- who breaks his word ---- */

static void breaks(struct script s)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work("size=1m runtime=60 queue_depth=8", NULL, 0);
	ck_assert_int_eq(iob_workload_set_engine(w, &async_ops, &s, &err), 0);
	struct iob_result *r = iob_workload_run(w, &err);
	ck_assert_msg(r, "%s", err.message);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS);
	ck_assert_int_eq(iob_result_error(r)->code, EPROTO);
	ck_assert_str_eq(iob_result_error(r)->where, "engine");
	iob_result_free(r);
	iob_workload_free(w);
}

START_TEST(an_engine_cannot_take_more_than_it_was_given)
{
	breaks((struct script){ .lie_in_submit = 1 });
}
END_TEST

START_TEST(an_engine_cannot_give_back_more_than_it_has)
{
	breaks((struct script){ .lie_in_reap = 1 });
}
END_TEST

START_TEST(no_workload)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = iob_suite_new(NULL);
	const struct iob_axis axis = { "block_size", "4k,8k" };
	ck_assert_ptr_null(iob_workload_copy(NULL, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_ptr_null(iob_workload_run(NULL, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_int_eq(iob_suite_add(s, NULL, NULL), -EINVAL);
	ck_assert_int_eq(iob_suite_add_matrix(s, NULL, &axis, 1, NULL), -EINVAL);
	ck_assert_uint_eq(iob_suite_stage_count(s), 0);
	iob_suite_free(s);
}
END_TEST

/* A cancel that comes when all is done changes nothing. */
START_TEST(a_late_cancel_cancels_nothing)
{
	struct iob_suite *s = iob_suite_new(NULL);
	struct iob_workload *w = work("engine=null size=1m runtime=10ms", NULL, 0);
	ck_assert_int_eq(iob_suite_add(s, w, NULL), 0);
	struct iob_run *run = iob_run_start(s, NULL);
	ck_assert_ptr_nonnull(run);
	ck_assert_int_eq(iob_run_wait(run, -1, NULL), 1);
	iob_run_cancel(run);
	struct iob_result *r = iob_run_snapshot(run, NULL);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	iob_result_free(r);
	iob_run_free(run);
	iob_suite_free(s);
	iob_workload_free(w);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		each_target_is_flushed_after_its_own_writes,
		what_targets_got_adds_up,
		files_must_fit_together,
		many_files_are_planned_soon,
		files_are_made_all_or_none,
		a_name_that_is_taken_meanwhile,
		an_engine_cannot_take_more_than_it_was_given,
		an_engine_cannot_give_back_more_than_it_has,
		no_workload,
		a_late_cancel_cancels_nothing,
	};
	Suite *s = suite_create("targets");
	TCase *t = tcase_create("targets");
	for (size_t i = 0; i < IOBI_LEN(tests); i++)
		tcase_add_test(t, tests[i]);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}

static const char *const files[] = { "a", "b", "e", "f" };

int main(void)
{
	if (!mkdtemp(dir))
		work_skip("mkdtemp", errno);
	work_file(in_dir("a"), 1 << 20, 'a');
	work_file(in_dir("b"), 1 << 20, 'b');
	int status = iob_test_run(suite());
	for (size_t i = 0; i < IOBI_LEN(files); i++)
		unlink(in_dir(files[i]));
	rmdir(dir);
	return status;
}
