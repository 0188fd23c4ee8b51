/* SPDX-License-Identifier: MIT */
/*
 * Job files that people have published, in IOBENCH_FIO_JOBS or ../shared/fio-jobs
 * where that is there: each is read or refused as its index says, and what is
 * read agrees with the canonical form that fio printed of it (showcmd/). How much
 * was compared is counted, so that a test that compares nothing fails.
 */
#include "support/test.h"
#include <ctype.h>
#include <errno.h>
#include <iobench/iobench.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FILES_MAX = 1024,
	JOBS_MAX = 256
};
static struct entry {
	char *name, *expect;
} entries[FILES_MAX];
static size_t n_entries;

/* ---- the environment that files want ---- */

static void set_environment(const char *path)
{
	char line[4096];
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		for (char *at = line; (at = strstr(at, "${"));) {
			char *end = strchr(at, '}');
			if (!end)
				break;
			*end = '\0';
			setenv(at + 2, "4", 0);
			at = end + 1;
		}
	fclose(f);
}

/* ---- fio's own reading: "fio --global... --name=a --option=value ..." ---- */

struct option {
	char *name, *value;
};
struct job {
	struct option option[256]; /* globals first, so the last of a name counts */
	size_t n;
};

static const char *last_of(const struct job *j, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < j->n; i++)
		if (!strcmp(j->option[i].name, name))
			value = j->option[i].value;
	return value;
}

static const char *value_of(const struct job *j, const char *name, const char *alias,
			    const char *otherwise)
{
	const char *a = last_of(j, name), *b = alias ? last_of(j, alias) : NULL;
	return a ? a : b ? b : otherwise;
}

static char *trim(char *text)
{
	size_t len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The next "--name=value"; values may hold blanks. */
static bool next_option(char **at, struct option *o)
{
	char *start = *at ? strstr(*at, "--") : NULL;
	if (!start)
		return false;
	char *end = strstr(start + 2, " --");
	if (end)
		*end++ = '\0';
	*at = end;
	o->name = start + 2;
	o->value = strchr(o->name, '=');
	if (o->value)
		*o->value++ = '\0';
	else
		o->value = "";
	o->name = trim(o->name);
	o->value = trim(o->value);
	return true;
}

static size_t read_showcmd(char *text, const char *const *names, size_t n, struct job *jobs)
{
	struct job globals = { .n = 0 };
	struct option o;
	size_t at = 0;
	while (next_option(&text, &o)) {
		if (!strcmp(o.name, "name") && at < n && !strcmp(o.value, names[at])) {
			jobs[at++] = globals;
			continue;
		}
		struct job *j = at ? &jobs[at - 1] : &globals;
		ck_assert_uint_lt(j->n, 256);
		j->option[j->n++] = o;
	}
	return at;
}

/* ---- ours ---- */

static const char *label(const struct iob_workload *w, const char *name, char *value, size_t n)
{
	const char *labels = iob_workload_get_str(w, IOB_PARAM_LABELS);
	size_t len = strlen(name);
	for (; *labels; labels += strcspn(labels, "\n") + 1)
		if (!strncmp(labels, name, len) && labels[len] == '=') {
			snprintf(value, n, "%.*s", (int)strcspn(labels + len + 1, "\n"),
				 labels + len + 1);
			return value;
		}
	return NULL;
}

/* The first clone of each job, how many clones there are, and its stage. */
struct ours {
	const struct iob_workload *w[JOBS_MAX];
	char name[JOBS_MAX][256];
	size_t clones[JOBS_MAX], stage[JOBS_MAX], n;
};

static void collect(const struct iob_suite *s, struct ours *o)
{
	char clone[32];
	o->n = 0;
	for (size_t i = 0; i < iob_suite_stage_count(s); i++)
		for (size_t k = 0; k < iob_suite_workload_count(s, i); k++) {
			const struct iob_workload *w = iob_suite_workload(s, i, k);
			ck_assert_ptr_nonnull(label(w, "fio.clone", clone, sizeof(clone)));
			if (strcmp(clone, "0") != 0) {
				o->clones[o->n - 1]++;
				continue;
			}
			ck_assert_uint_lt(o->n, JOBS_MAX);
			label(w, "fio.job", o->name[o->n], sizeof(o->name[0]));
			o->w[o->n] = w;
			o->stage[o->n] = i;
			o->clones[o->n++] = 1;
		}
}

static int64_t number(const struct iob_workload *w, enum iob_param p)
{
	int64_t value = -1;
	iob_workload_get_int(w, p, &value);
	return value;
}

/* Simple sizes and times only; -1: something else. */
static int64_t simple_size(const char *text)
{
	char *end;
	long long n = strtoll(text, &end, 10);
	const char *units = "kmgt",
		   *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	if (end == text || (*end && (!unit || end[1])))
		return -1;
	for (; unit && unit >= units; unit--)
		n *= 1024;
	return n;
}

/* "4k,8k": reads, writes. */
static bool simple_pair(const char *text, int64_t *read, int64_t *write)
{
	char first[32];
	const char *comma = strchr(text, ',');
	if (!comma || strchr(comma + 1, ',') || comma - text >= (int)sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(comma - text), text);
	if (*first)
		*read = simple_size(first);
	*write = comma[1] ? simple_size(comma + 1) : *read;
	return *read > 0 && *write > 0;
}

static int64_t simple_time(const char *text)
{
	char *end;
	long long n = strtoll(text, &end, 10);
	if (end == text || (*end && strcmp(end, "s") && strcmp(end, "m") && strcmp(end, "h")))
		return -1;
	return n * 1000000000 * (*end == 'm' ? 60 : *end == 'h' ? 3600 : 1);
}

static int truth(const char *text)
{
	return !strcmp(text, "") || !strcmp(text, "1");
}

/* What was compared, by all of the test's processes. */
enum field {
	FILES,
	JOBS,
	RW,
	MIX,
	BS,
	BS_WRITE,
	ENGINE,
	DIRECT,
	DEPTH,
	SIZE,
	RUNTIME,
	NUMJOBS,
	STAGE,
	REFUSED,
	N_FIELDS
};
static struct {
	const char *name;
	int least; /* of the 408 files */
} fields[N_FIELDS] = {
	[FILES] = { "files", 155 },     [JOBS] = { "jobs", 340 },
	[RW] = { "rw", 1000 },          [MIX] = { "rwmixread", 330 },
	[BS] = { "bs", 190 },           [BS_WRITE] = { "bs of writes", 145 },
	[ENGINE] = { "ioengine", 340 }, [DIRECT] = { "direct", 325 },
	[DEPTH] = { "iodepth", 340 },   [SIZE] = { "size", 170 },
	[RUNTIME] = { "runtime", 340 }, [NUMJOBS] = { "numjobs", 340 },
	[STAGE] = { "stonewall", 185 }, [REFUSED] = { "refused", 130 },
};
static int *counts;

#define CHECK(what, is, want)                                                                      \
	do {                                                                                       \
		ck_assert_msg((is) == (want), "%s, job %zu: %s is %lld, and %lld in fio", file, i, \
			      fields[what].name, (long long)(is), (long long)(want));              \
		counts[what]++;                                                                    \
	} while (0)

static void check_rw(const char *file, size_t i, const struct iob_workload *w, const struct job *j)
{
	const char *rw = value_of(j, "rw", "readwrite", "read");
	bool random = !strncmp(rw, "rand", 4), back = strstr(rw, ":-");
	size_t len = strcspn(rw, ":");
	const char *base = random ? rw + 4 : rw;
	len -= random ? 4 : 0;
	bool mixed = !strncmp(base, "rw", len) || !strncmp(base, "readwrite", len > 4 ? len : 9);
	CHECK(RW, number(w, IOB_PARAM_PATTERN), random ? 0 : back ? 2 : 1);
	bool trims = !strncmp(base, "trim", 4) && len == 4, first = !strncmp(base, "trimwrite", 9);
	CHECK(RW, number(w, IOB_PARAM_TRIM_PERCENT), trims ? 100 : 0);
	CHECK(RW, number(w, IOB_PARAM_TRIM_FIRST), first);
	const char *mix = last_of(j, "rwmixread"), *write = last_of(j, "rwmixwrite");
	if (mixed && !(mix && write)) /* the later of both counts, which is not known here */
		CHECK(MIX, number(w, IOB_PARAM_READ_PERCENT),
		      mix     ? atoi(mix)
		      : write ? 100 - atoi(write)
			      : 50);
	if (!mixed && !trims)
		CHECK(MIX, number(w, IOB_PARAM_READ_PERCENT), strncmp(base, "read", 4) ? 0 : 100);
}

static void check_blocks(const char *file, size_t i, const struct iob_workload *w,
			 const struct job *j)
{
	const char *text = value_of(j, "bs", "blocksize", "4k");
	int64_t read = 4096, write = 4096, both = simple_size(text);
	if (last_of(j, "bsrange") || last_of(j, "bssplit") || last_of(j, "blocksize_range"))
		return;
	if (both > 0)
		read = write = both;
	else if (!simple_pair(text, &read, &write))
		return;
	if (number(w, IOB_PARAM_READ_PERCENT) > 0)
		CHECK(BS, number(w, IOB_PARAM_BLOCK_SIZE), read);
	if (number(w, IOB_PARAM_READ_PERCENT) < 100 && !number(w, IOB_PARAM_TRIM_PERCENT)) {
		const char *own = iob_workload_get_str(w, IOB_PARAM_BLOCK_SIZE_WRITE);
		CHECK(BS_WRITE,
		      number(w, own && *own ? IOB_PARAM_BLOCK_SIZE_WRITE : IOB_PARAM_BLOCK_SIZE),
		      write);
	}
}

static void check_engine(const char *file, size_t i, const struct iob_workload *w,
			 const struct job *j)
{
	const char *engine = value_of(j, "ioengine", NULL, "psync"), *is;
	if (!strcmp(engine, "sync") || !strcmp(engine, "vsync") || !strncmp(engine, "pvsync", 6))
		engine = "psync";
	if (!strcmp(engine, "aio"))
		engine = "libaio";
	is = iob_workload_get_str(w, IOB_PARAM_ENGINE);
	ck_assert_msg(!strcmp(is, engine), "%s, job %zu: engine %s, not %s", file, i, is, engine);
	counts[ENGINE]++;
	if (!last_of(j, "buffered") && !last_of(j, "atomic") && strcmp(engine, "mmap") != 0)
		CHECK(DIRECT, number(w, IOB_PARAM_DIRECT), truth(value_of(j, "direct", NULL, "0")));
	int64_t depth = simple_size(value_of(j, "iodepth", NULL, "1"));
	if (depth > 0)
		CHECK(DEPTH, number(w, IOB_PARAM_QUEUE_DEPTH), depth);
}

static void check_sizes(const char *file, size_t i, const struct iob_workload *w,
			const struct job *j)
{
	int64_t size = simple_size(value_of(j, "size", NULL, "?"));
	int64_t files = (int64_t)iob_workload_target_count(w),
		block = number(w, IOB_PARAM_BLOCK_SIZE);
	if (size > 0 && !last_of(j, "filesize") && block > 0 && files) {
		size /= files;
		size -= number(w, IOB_PARAM_DIRECT) ? size % block : 0;
		CHECK(SIZE, number(w, IOB_PARAM_SIZE), size);
	}
	int64_t runtime = simple_time(value_of(j, "runtime", "timeout", "0"));
	if (runtime >= 0)
		CHECK(RUNTIME, number(w, IOB_PARAM_RUNTIME), runtime);
}

static void check_job(const char *file, const struct ours *o, size_t i, const struct job *j)
{
	int64_t clones = simple_size(value_of(j, "numjobs", NULL, "1"));
	const char *wall = value_of(j, "stonewall", "wait_for_previous", "0");
	if (clones > 0)
		CHECK(NUMJOBS, o->clones[i], (size_t)clones);
	if (i)
		CHECK(STAGE, o->stage[i], o->stage[i - 1] + (size_t)truth(wall));
	check_rw(file, i, o->w[i], j);
	check_blocks(file, i, o->w[i], j);
	check_engine(file, i, o->w[i], j);
	check_sizes(file, i, o->w[i], j);
}

/* fio prints globals that come later with the job before them. */
static bool has_late_globals(const char *file)
{
	char line[4096];
	int globals = 0;
	FILE *f = fopen(file, "r");
	while (f && fgets(line, sizeof(line), f))
		globals += !strncmp(trim(line), "[global", 7);
	if (f)
		fclose(f);
	return globals > 1;
}

static void check_showcmd(const char *file, const struct iob_suite *s)
{
	static char text[1 << 16];
	static struct ours o;
	static struct job jobs[JOBS_MAX];
	const char *names[JOBS_MAX];
	char path[1024];
	snprintf(path, sizeof(path), "showcmd/%.*s.txt", (int)(strlen(file) - 4), file);
	FILE *f = fopen(path, "r");
	if (!f || has_late_globals(file)) {
		if (f)
			fclose(f);
		return;
	}
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	collect(s, &o);
	for (size_t i = 0; i < o.n; i++)
		names[i] = o.name[i];
	size_t n = read_showcmd(text, names, o.n, jobs);
	ck_assert_msg(n == o.n, "%s: %zu jobs, and %zu in fio", file, o.n, n);
	for (size_t i = 0; i < n; i++)
		check_job(file, &o, i, &jobs[i]);
	counts[FILES]++;
	counts[JOBS] += (int)n;
}

static const char *alias_of(const char *name)
{
	const struct iob_fio_option *o;
	for (size_t i = 0; (o = iob_fio_option(i)); i++)
		if (!strcmp(o->name, name))
			return o->alias ? o->alias : name;
	return name;
}

/* Whether what was refused stands in the file, at the line that was told: under
 * either of its names, or, as something that lacks, as the job's section. */
static bool stands_there(const struct iob_error *err)
{
	char line[4096];
	FILE *f = fopen(err->file, "r");
	bool found = false;
	for (int i = 1; f && fgets(line, sizeof(line), f); i++)
		if (i == err->line)
			found = strstr(line, err->where) || strstr(line, alias_of(err->where)) ||
				*line == '[' || !strcmp(err->where, "section");
	if (f)
		fclose(f);
	return found;
}

START_TEST(file_as_expected)
{
	const struct entry *e = &entries[_i];
	struct iob_error err = { 0 };
	set_environment(e->name);
	struct iob_suite *s = iob_suite_from_fio_file(e->name, 0, &err);
	if (!s) {
		ck_assert_msg(err.code > 0 && err.message[0] && err.where[0], "%s", e->name);
		ck_assert_msg(err.line > 0 && stands_there(&err), "%s: %s", e->name, err.message);
	}
	if (!strcmp(e->expect, "parse"))
		ck_assert_msg(s, "%s: %s", e->name, err.message);
	if (!strncmp(e->expect, "refuse:", 7)) {
		ck_assert_msg(!s, "%s: %s is not refused", e->name, e->expect + 7);
		ck_assert_msg(err.code == ENOTSUP, "%s: %s", e->name, err.message);
		counts[REFUSED]++;
	}
	if (s)
		check_showcmd(e->name, s);
	iob_suite_free(s);
}
END_TEST

START_TEST(enough_was_compared)
{
	for (int i = 0; i < N_FIELDS; i++) {
		printf("%s %d%s", fields[i].name, counts[i], i + 1 < N_FIELDS ? ", " : "\n");
		fflush(stdout);
		ck_assert_msg(n_entries < 400 || counts[i] >= fields[i].least,
			      "%s: %d were compared, and there are %d or more", fields[i].name,
			      counts[i], fields[i].least);
	}
}
END_TEST

static void read_index(void)
{
	char line[4096];
	FILE *f = fopen("index.tsv", "r");
	if (!f || !fgets(line, sizeof(line), f))
		return;
	while (fgets(line, sizeof(line), f) && n_entries < FILES_MAX) {
		char *expect = strrchr(trim(line), '\t');
		*strchr(line, '\t') = '\0';
		entries[n_entries].name = strdup(line);
		entries[n_entries++].expect = strdup(expect + 1);
	}
	fclose(f);
}

static Suite *suite(void)
{
	Suite *s = suite_create("fio_jobs");
	TCase *t = tcase_create("files");
	char path[1024];
	const char *jobs = getenv("IOBENCH_FIO_JOBS"), *source = getenv("IOBENCH_SOURCE");
	snprintf(path, sizeof(path), "%s%s",
		 jobs     ? jobs
		 : source ? source
			  : ".",
		 jobs ? "" : "/../shared/fio-jobs");
	counts = mmap(NULL, sizeof(int) * N_FIELDS, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || chdir(path)) {
		printf("skipped: there is no %s\n", path);
		exit(IOB_TEST_SKIPPED);
	}
	read_index();
	if (!n_entries) {
		printf("%s/index.tsv has no files\n", path);
		exit(EXIT_FAILURE);
	}
	tcase_add_loop_test(t, file_as_expected, 0, (int)n_entries);
	tcase_add_test(t, enough_was_compared);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
