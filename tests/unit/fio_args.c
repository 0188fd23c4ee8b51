/* SPDX-License-Identifier: MIT */
/* fio's command line, and the calls themselves. */
#include "support/nomem.h"
#include "support/test.h"
#include <errno.h>
#include <iobench/iobench.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ARGS_MAX = 64
};

/* Splits at blanks; no quotes. */
static struct iob_suite *read_flags(const char *line, unsigned flags, struct iob_error *err)
{
	static char text[4096];
	const char *argv[ARGS_MAX];
	int argc = 0;
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word && argc < ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	return iob_suite_from_fio_args(argc, argv, flags, err);
}

static struct iob_suite *read_line(const char *line)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = read_flags(line, 0, &err);
	ck_assert_msg(s, "%s: %s: %s", line, err.where, err.message);
	return s;
}

static void refuse(const char *line, int code, const char *where, const char *message)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = read_flags(line, 0, &err);
	ck_assert_ptr_null(s);
	ck_assert_str_eq(err.message, message);
	ck_assert_str_eq(err.where, where);
	ck_assert_int_eq(err.code, code);
	ck_assert_int_eq(err.line, 0);
	ck_assert_ptr_null(read_flags(line, 0, NULL));
}

static const struct iob_workload *job(const struct iob_suite *s, size_t stage, size_t i)
{
	const struct iob_workload *w = iob_suite_workload(s, stage, i);
	ck_assert_ptr_nonnull(w);
	return w;
}

static void has(const struct iob_workload *w, const char *name, const char *value)
{
	char text[4096];
	ck_assert_int_gt(iob_workload_get(w, name, text, sizeof(text)), -1);
	ck_assert_msg(!strcmp(text, value), "%s is %s, not %s", name, text, value);
}

static const char *write_job(const char *name, const char *text)
{
	static char path[4][128];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof(path[0]), "/tmp/iobench-fio-args-%d-%s", (int)getpid(), name);
	FILE *f = fopen(p, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	return p;
}

/* ---- what the seed asks ---- */

START_TEST(the_tester_s_command)
{
	struct iob_suite *s = read_line("fio --name=test1 --ioengine=sync --direct=1 --rw=randread "
					"--bs=1m --runtime=10 --filename=/dev/x --iodepth=1 "
					"--invalidate=1");
	const struct iob_workload *w = job(s, 0, 0);
	has(w, "name", "test1");
	has(w, "engine", "psync");
	has(w, "direct", "true");
	has(w, "pattern", "random");
	has(w, "read_percent", "100");
	has(w, "block_size", "1m");
	has(w, "runtime", "10s");
	has(w, "queue_depth", "1");
	has(w, "invalidate", "true");
	has(w, "passes", "1");
	ck_assert_str_eq(iob_workload_target(w, 0, NULL), "/dev/x");
	ck_assert_uint_eq(iob_suite_note_count(s), 0);
	iob_suite_free(s);
}
END_TEST

START_TEST(the_ase_read)
{
	struct iob_suite *s =
		read_line("--name=ase --filename=/dev/x --readonly --rw=read --direct=1 "
			  "--bs=16k --size=1024m --iodepth=2048 --numjobs=1");
	has(job(s, 0, 0), "queue_depth", "2048");
	has(job(s, 0, 0), "size", "1g");
	ck_assert_uint_eq(iob_suite_note_count(s), 1);
	ck_assert_str_eq(
		iob_suite_note(s, 0)->text,
		"iodepth=2048 runs at depth 1: ioengine=psync does one I/O at a time (as in "
		"fio)");
	ck_assert_str_eq(iob_suite_note(s, 0)->file, "");
	ck_assert_int_eq(iob_suite_note(s, 0)->line, 0);
	ck_assert_uint_eq(iob_suite_note(s, 0)->size, sizeof(struct iob_note));
	ck_assert_ptr_null(iob_suite_note(s, 1));
	iob_suite_free(s);
}
END_TEST

/* ---- forms ---- */

START_TEST(spellings)
{
	struct iob_suite *s =
		read_line("-name=a -rw randread --iodepth 4 --ioengin=libaio --blocksize=8k "
			  "--siz=4m --time_based --runt 5 --filename f");
	const struct iob_workload *w = job(s, 0, 0);
	has(w, "pattern", "random");
	has(w, "queue_depth", "4");
	has(w, "engine", "libaio");
	has(w, "block_size", "8k");
	has(w, "size", "4m");
	has(w, "passes", "0");
	has(w, "runtime", "5s");
	iob_suite_free(s);
}
END_TEST

START_TEST(globals)
{
	struct iob_suite *s =
		read_line("--size=1m --filename=f --name=a --bs=8k --name=global --bs=16k "
			  "--name=b --name=c --bs=32k --stonewall");
	has(job(s, 0, 0), "block_size", "8k");
	has(job(s, 0, 1), "block_size", "16k");
	has(job(s, 1, 0), "block_size", "32k");
	ck_assert_str_eq(iob_suite_stage_name(s, 0), "a, b");
	iob_suite_free(s);
}
END_TEST

START_TEST(false_dashes)
{
	refuse("\xe2\x80\x93-name=a", EINVAL, "dash",
	       "\"\\xe2\\x80\\x93-name=a\" begins with U+2013 (en dash), a dash of a web page or a "
	       "text "
	       "program; type - instead");
	refuse("--name=a \xe2\x80\x94rw=read", EINVAL, "dash",
	       "\"\\xe2\\x80\\x94rw=read\" begins with U+2014 (em dash), a dash of a web page or a "
	       "text "
	       "program; type - instead");
	refuse("-\xe2\x88\x92name=a", EINVAL, "dash",
	       "\"-\\xe2\\x88\\x92name=a\" begins with U+2212 (minus sign), a dash of a web page "
	       "or a text "
	       "program; type - instead");
}
END_TEST

START_TEST(wrong_lines)
{
	refuse("", EINVAL, "name",
	       "there is no job: name a job file, or begin one with --name=NAME");
	refuse("--rw=read", EINVAL, "name",
	       "there is no job: name a job file, or begin one with --name=NAME");
	refuse("--name=a --bs", EINVAL, "bs", "it needs a value: --bs=...");
	refuse("--name=", EINVAL, "name", "the job has no name");
	refuse("--name=a --idepth=4", ENOENT, "idepth",
	       "unknown option \"idepth\"; did you mean \"iodepth\"?");
	refuse("--name=a --rw=raed", EINVAL, "rw",
	       "\"raed\" is none of read, write, trim, randread, randwrite, randtrim, rw, "
	       "readwrite, "
	       "randrw, trimwrite, randtrimwrite");
	refuse("--name=a --zonemode=zbd", ENOTSUP, "zonemode", "not supported: zonemode (zones)");
	refuse("--name=a --verify_only", ENOTSUP, "verify_only",
	       "not supported: verify_only (verification of data)");
	refuse("--name=a --client=x", ENOTSUP, "client", "not supported: --client");
	refuse("--name=a --readonly=1", EINVAL, "readonly", "--readonly takes no value");
}
END_TEST

START_TEST(ambiguous)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(read_flags("--name=a --rand=1", 0, &err));
	ck_assert_str_eq(err.where, "abbreviation");
	ck_assert_ptr_nonnull(strstr(err.message, "\"rand\" could be "));
	ck_assert_ptr_nonnull(strstr(err.message, "randrepeat"));
	ck_assert_ptr_nonnull(strstr(err.message, "randseed"));
}
END_TEST

START_TEST(line_break)
{
	const char *const argv[] = { "--name=a\nb", "--size=1m" };
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_suite_from_fio_args(2, argv, 0, &err));
	ck_assert_int_eq(err.code, EINVAL);
}
END_TEST

/* ---- job files among them ---- */

START_TEST(files_override)
{
	const char *path = write_job("over", "[global]\nbs=64k\n[f]\niodepth=2\nioengine=libaio\n"),
		   *cmd;
	char line[512];
	snprintf(line, sizeof(line), "--bs=8k --size=2m --filename=x %s", path);
	cmd = line;
	struct iob_suite *s = read_line(cmd);
	has(job(s, 0, 0), "block_size", "64k");
	has(job(s, 0, 0), "size", "2m");
	iob_suite_free(s);
	unlink(path);
}
END_TEST

START_TEST(files_one_after_another)
{
	const char *a = write_job("a", "[a]\n[b]\n"), *b = write_job("b", "[c]\n[d]\n");
	char line[512];
	snprintf(line, sizeof(line), "--size=2m --filename=x %s %s", a, b);
	struct iob_suite *s = read_line(line);
	ck_assert_uint_eq(iob_suite_stage_count(s), 2);
	ck_assert_str_eq(iob_suite_stage_name(s, 0), "a, b");
	ck_assert_str_eq(iob_suite_stage_name(s, 1), "c, d");
	iob_suite_free(s);
	unlink(a);
	unlink(b);
}
END_TEST

START_TEST(sections)
{
	const char *path =
		write_job("sec", "[global]\nsize=1m\n[a]\nbs=8k\n[b]\nbs=16k\n[c]\nbs=32k\n");
	struct iob_error err = { 0 };
	char line[512];
	snprintf(line, sizeof(line), "--section=c --section a %s", path);
	struct iob_suite *s = read_line(line);
	ck_assert_uint_eq(iob_suite_workload_count(s, 0), 2);
	has(job(s, 0, 0), "block_size", "8k");
	has(job(s, 0, 1), "block_size", "32k");
	iob_suite_free(s);
	snprintf(line, sizeof(line), "--section=x %s", path);
	ck_assert_ptr_null(read_flags(line, 0, &err));
	ck_assert_str_eq(err.message, "no job is called \"x\"");
	unlink(path);
}
END_TEST

/* ---- permission ---- */

START_TEST(readonly)
{
	refuse("--readonly --name=a --filename=f --size=1m --rw=randrw", EPERM, "rw",
	       "job \"a\" writes, and --readonly was given");
	iob_suite_free(read_line(
		"--readonly --name=a --filename=f --size=1m --rw=randrw --rwmixread=100"));
	iob_suite_free(read_line("--readonly --name=a --ioengine=null --size=1m --rw=write"));
}
END_TEST

static unsigned flags_given(const char *rw, unsigned flags)
{
	struct iob_error err = { 0 };
	unsigned given = 99;
	char line[128];
	snprintf(line, sizeof(line), "--name=a --filename=f --size=1m --rw=%s", rw);
	struct iob_suite *s = read_flags(line, flags, &err);
	ck_assert_msg(s, "%s", err.message);
	iob_workload_target(job(s, 0, 0), 0, &given);
	iob_suite_free(s);
	return given;
}

START_TEST(target_flags)
{
	const unsigned destroy = IOB_TARGET_ALLOW_DESTROY, create = IOB_TARGET_CREATE;
	ck_assert_uint_eq(flags_given("read", 0), 0);
	ck_assert_uint_eq(flags_given("write", 0), 0);
	ck_assert_uint_eq(flags_given("read", destroy), create); /* is never written */
	ck_assert_uint_eq(flags_given("write", destroy), destroy | create);
	ck_assert_uint_eq(flags_given("trim", destroy), destroy | create);
	ck_assert_uint_eq(flags_given("write", create), create);
	ck_assert_uint_eq(flags_given("randread", 7), create);
}
END_TEST

/* Opening a pipe that nobody writes to would wait for ever. */
START_TEST(opens_no_target)
{
	char path[64], line[256];
	snprintf(path, sizeof(path), "/tmp/iobench-fio-args-%d-pipe", (int)getpid());
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(line, sizeof(line), "--name=a --filename=%s --size=50%% --rw=randrw --offset=10%%", path);
	iob_suite_free(read_line(line));
	unlink(path);
}
END_TEST

START_TEST(wrong_calls)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_suite_from_fio_file(NULL, 0, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_ptr_null(iob_suite_from_fio_file("", 0, NULL));
	ck_assert_ptr_null(iob_suite_from_fio_file("/not/there", 0, &err));
	ck_assert_int_eq(err.code, ENOENT);
	ck_assert_str_eq(err.file, "/not/there");
	ck_assert_ptr_null(iob_suite_from_fio_file("/tmp", 0, &err));
	ck_assert_int_eq(err.code, EISDIR);
	ck_assert_ptr_null(iob_suite_from_fio_file("/dev/zero", 0, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_ptr_null(iob_suite_from_fio_args(1, NULL, 0, &err));
	ck_assert_ptr_null(iob_suite_from_fio_args(-1, NULL, 0, &err));
	ck_assert_ptr_null(iob_suite_from_fio_file("/dev/null", 64, &err));
	ck_assert_str_eq(err.where, "target_flags");
}
END_TEST

START_TEST(no_memory)
{
	static const char text[] =
		"[global]\nsize=${IOB_TEST_SIZE}m\nbs = 4k-8k\n[a]\nfilename=x:y\n"
		"rw=randrw\nrandom_distribution=zoned:50/10:50/\n[b]\nstonewall\n"
		"numjobs=2\ncpus_allowed=0-1\ncpus_allowed_policy=split\nthread\n";
	const char *path = write_job("nomem", text);
	setenv("IOB_TEST_SIZE", "4", 1);
	for (int n = 0; nomem_at(n); n++) {
		struct iob_error err = { 0 };
		struct iob_suite *s = iob_suite_from_fio_file(path, 0, &err);
		if (!nomem_hit()) {
			ck_assert_ptr_nonnull(s);
			iob_suite_free(s);
			break;
		}
		ck_assert_ptr_null(s);
		ck_assert_msg(err.code == ENOMEM, "allocation %d: %s", n, err.message);
	}
	unlink(path);
}
END_TEST

START_TEST(table)
{
	const struct iob_fio_option *o, *other;
	size_t supported = 0;
	for (size_t i = 0; (o = iob_fio_option(i)); i++) {
		ck_assert_uint_eq(o->size, sizeof(*o));
		ck_assert(o->name[0] && o->help[0] && o->value);
		supported += o->support == IOB_FIO_SUPPORTED;
		for (size_t k = 0; k < i; k++) {
			other = iob_fio_option(k);
			ck_assert_str_ne(o->name, other->name);
			ck_assert(!o->alias || strcmp(o->alias, other->name) != 0);
		}
	}
	ck_assert_uint_gt(supported, 60);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fio_args");
	TCase *t = tcase_create("args");
	tcase_add_test(t, the_tester_s_command);
	tcase_add_test(t, the_ase_read);
	tcase_add_test(t, spellings);
	tcase_add_test(t, globals);
	tcase_add_test(t, false_dashes);
	tcase_add_test(t, wrong_lines);
	tcase_add_test(t, ambiguous);
	tcase_add_test(t, line_break);
	tcase_add_test(t, files_override);
	tcase_add_test(t, files_one_after_another);
	tcase_add_test(t, sections);
	tcase_add_test(t, readonly);
	tcase_add_test(t, target_flags);
	tcase_add_test(t, opens_no_target);
	tcase_add_test(t, wrong_calls);
	tcase_add_test(t, no_memory);
	tcase_add_test(t, table);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
