/* SPDX-License-Identifier: MIT */
/* fio's JSON: every key with its type, whatever happened in the run. ctest: notsan */
#include "support/tree_json.h"
#include <locale.h>

/* ---- the keys, as in fio: I whole, F with six decimals, S text, {} and [] ---- */

static const char *const of_latency = "min I,max I,mean F,stddev F,N I";

static const char *const of_op = "io_bytes I,io_kbytes I,bw_bytes I,bw I,iops F,runtime "
				 "I,total_ios I,short_ios I,drop_ios I,"
				 "slat_ns {},clat_ns {},lat_ns {},bw_min I,bw_max I,bw_agg "
				 "F,bw_mean F,bw_dev F,bw_samples I,"
				 "iops_min I,iops_max I,iops_mean F,iops_stddev F,iops_samples I";

static const char *const of_job =
	"jobname S,groupid I,job_start I,error I,eta I,elapsed I,job options {},read {},write {},"
	"trim {},sync {},job_runtime I,usr_cpu F,sys_cpu F,ctx I,majf I,minf I,iodepth_level {},"
	"iodepth_submit {},iodepth_complete {},latency_ns {},latency_us {},latency_ms {},"
	"latency_depth I,latency_target I,latency_target_ns I,latency_percentile F,latency_window I,"
	"latency_window_us I";

static const char *const of_depth = "1 F,2 F,4 F,8 F,16 F,32 F,>=64 F";
static const char *const of_batch = "0 F,4 F,8 F,16 F,32 F,64 F,>=64 F";
static const char *const of_ns = "2 F,4 F,10 F,20 F,50 F,100 F,250 F,500 F,750 F,1000 F";
static const char *const of_ms =
	"2 F,4 F,10 F,20 F,50 F,100 F,250 F,500 F,750 F,1000 F,2000 F,>=2000 F";

static const char *const of_disk =
	"name S,read_ios I,write_ios I,read_sectors I,write_sectors I,read_merges I,write_merges I,"
	"read_ticks I,write_ticks I,in_queue I,util F";
static const char *const of_members =
	",aggr_read_ios I,aggr_write_ios I,aggr_read_merges I,aggr_write_merge I,aggr_read_ticks I,"
	"aggr_write_ticks I,aggr_in_queue I,aggr_util F";

static const char *type_of(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_INTEGER:
		return "I";
	case JSON_REAL:
		return "F";
	case JSON_STRING:
		return "S";
	case JSON_OBJECT:
		return "{}";
	case JSON_ARRAY:
		return "[]";
	default:
		return "?";
	}
}

/* All of the list and nothing else. */
static void has_keys(json_t *v, const char *list)
{
	size_t n = 0;
	while (*list) {
		char key[64];
		size_t all = strcspn(list, ","), name = all;
		while (list[name] != ' ' || memchr(list + name + 1, ' ', all - name - 1))
			name--;
		snprintf(key, sizeof(key), "%.*s", (int)name, list);
		const json_t *m = json_object_get(v, key);
		ck_assert_msg(m != NULL, "%s is missing", key);
		ck_assert_msg(!strncmp(type_of(m), list + name + 1, all - name - 1), "%s is %s",
			      key, type_of(m));
		n++;
		list += all + (list[all] == ',');
	}
	ck_assert_uint_eq(json_object_size(v), n);
}

static void is_latency(json_t *v, int percentiles, int bins)
{
	char list[256];
	int64_t n = json_integer_value(at(v, "N")), below = 0;
	int64_t least = json_integer_value(at(v, "min")), most = json_integer_value(at(v, "max"));
	const char *key;
	json_t *m;
	snprintf(list, sizeof(list), "%s%s%s", of_latency, percentiles && n ? ",percentile {}" : "",
		 bins && n ? ",bins {}" : "");
	has_keys(v, list);
	json_object_foreach(json_object_get(v, "percentile"), key, m)
	{
		ck_assert(json_is_integer(m));
		ck_assert_uint_eq(strlen(strchr(key, '.')), 7);
		ck_assert_int_ge(json_integer_value(m), below > least ? below : least);
		ck_assert_int_le(json_integer_value(m), most);
		below = json_integer_value(m);
	}
	json_object_foreach(json_object_get(v, "bins"), key, m) n -= json_integer_value(m);
	if (json_object_get(v, "bins"))
		ck_assert_int_eq(n, 0);
}

static void is_op(json_t *v, int lat, int bins)
{
	has_keys(v, of_op);
	is_latency(at(v, "slat_ns"), 0, 0);
	is_latency(at(v, "clat_ns"), 1, bins);
	is_latency(at(v, "lat_ns"), lat, lat && bins);
}

/* `more`: keys that are there besides. */
static void is_job(json_t *v, const char *more, int lat, int bins)
{
	static const char *const ops[] = { "read", "write", "trim" };
	static const char *const needed[] = { "rw", "bs", "iodepth", "numjobs" };
	char list[2048];
	snprintf(list, sizeof(list), "%s%s", of_job, more);
	has_keys(v, list);
	for (size_t i = 0; i < IOBI_LEN(ops); i++)
		is_op(at(v, ops[i]), lat, bins);
	has_keys(at(v, "sync"), "total_ios I,lat_ns {}");
	is_latency(at(v, "sync.lat_ns"), 1, bins);
	has_keys(at(v, "iodepth_level"), of_depth);
	has_keys(at(v, "iodepth_submit"), of_batch);
	has_keys(at(v, "iodepth_complete"), of_batch);
	has_keys(at(v, "latency_ns"), of_ns);
	has_keys(at(v, "latency_us"), of_ns);
	has_keys(at(v, "latency_ms"), of_ms);
	for (size_t i = 0; i < IOBI_LEN(needed); i++)
		ck_assert_msg(json_is_string(json_object_get(at(v, "job options"), needed[i])),
			      "%s", needed[i]);
}

/* Each number with a point has six decimals, and none an exponent. */
static void has_six_decimals(const char *s)
{
	for (const char *p = s; (p = strstr(p, "\" : ")); p += 4) {
		const char *v = p + 4;
		size_t whole = strspn(v, "-0123456789");
		if (!whole)
			continue;
		if (v[whole] == '.')
			ck_assert_uint_eq(strspn(v + whole + 1, "0123456789"), 6);
		ck_assert_int_ne(v[whole], 'e');
	}
}

static json_t *document(const struct iob_result *r, const char *format)
{
	char *s = tree_report(r, format);
	json_error_t e;
	json_t *v = json_loads(s, JSON_REJECT_DUPLICATES, &e);
	ck_assert_msg(v != NULL, "line %d: %s", e.line, e.text);
	has_six_decimals(s);
	free(s);
	return v;
}

static void has_head(json_t *v, const char *more)
{
	char list[256];
	snprintf(list, sizeof(list), "fio version S,timestamp I,timestamp_ms I,time S,jobs []%s",
		 more);
	has_keys(v, list);
}

/* ---- whatever happened ---- */

START_TEST(all_keys)
{
	static const char *const formats[] = { "fio-json", "fio-json+" };
	struct iob_result *r = tree_suite();
	for (int plus = 0; plus < 2; plus++) {
		json_t *v = document(r, formats[plus]);
		has_head(v, "");
		ck_assert_uint_eq(json_array_size(at(v, "jobs")), 2);
		is_job(at(v, "jobs.0"), "", 1, plus);
		is_job(at(v, "jobs.1"), "", 1, plus);
		json_decref(v);
	}
	iob_result_free(r);
}
END_TEST

static struct iob_result *alone(struct iob_result *w)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	tree_adopt(root, tree_stage("s", w, NULL));
	tree_close(root);
	return root;
}

static struct iob_result *idle_workload(void)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "idle");
	tree_params(w, "4k", "1", "1", "random", "100");
	tree_close(w);
	return w;
}

START_TEST(without_io)
{
	struct iob_result *r = alone(idle_workload());
	json_t *v = document(r, "fio-json+"), *m;
	const char *key;
	has_head(v, "");
	is_job(at(v, "jobs.0"), "", 1, 1);
	json_object_foreach(at(v, "jobs.0.read"), key, m) if (json_is_number(m))
		ck_assert_msg(json_number_value(m) == 0, "%s", key);
	ck_assert_ptr_null(json_object_get(at(v, "jobs.0.read.clat_ns"), "percentile"));
	ck_assert_ptr_null(json_object_get(at(v, "jobs.0.read.clat_ns"), "bins"));
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(with_errors)
{
	struct iob_result *w = tree_failing_workload("a\"b\\c\x01\xff\xc3\xbc");
	struct iob_result *r = alone(w);
	json_t *v = document(r, "fio-json");
	is_job(at(v, "jobs.0"), "", 1, 0);
	ck_assert_str_eq(json_string_value(at(v, "jobs.0.jobname")), "a\"b\\c\x01?\xc3\xbc");
	ck_assert_int_eq(json_integer_value(at(v, "jobs.0.error")), EIO);
	ck_assert_int_eq(json_integer_value(at(v, "jobs.0.read.short_ios")), 1);
	ck_assert_int_eq(json_integer_value(at(v, "jobs.0.read.total_ios")), 40);
	json_decref(v);
	tree_ran(w, "on_error", "continue");
	v = document(r, "fio-json");
	is_job(at(v, "jobs.0"), ",total_err I,first_error I", 1, 0);
	ck_assert_int_eq(json_integer_value(at(v, "jobs.0.total_err")), 4);
	ck_assert_int_eq(json_integer_value(at(v, "jobs.0.first_error")), EIO);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(when_cancelled)
{
	struct iob_result *w = tree_mixed_workload();
	w->flags |= IOB_RESULT_CANCELLED | IOB_RESULT_PARTIAL;
	w->unfinished = 7;
	struct iob_result *r = alone(w);
	json_t *v = document(r, "fio-json+");
	is_job(at(v, "jobs.0"), "", 1, 1);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

/* A run of which no stage has begun. */
START_TEST(with_nothing)
{
	struct iob_result *r = tree_node(IOB_LEVEL_SUITE, "suite");
	tree_close(r);
	json_t *v = document(r, "fio-json");
	has_head(v, "");
	ck_assert_uint_eq(json_array_size(at(v, "jobs")), 0);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

/* A stage, a workload, a worker alone. */
START_TEST(of_a_part)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *part = iob_result_child(r, 0);
	for (; part; part = iob_result_child(part, 0)) {
		json_t *v = document(part, "fio-json");
		ck_assert_uint_eq(json_array_size(at(v, "jobs")), 1);
		is_job(at(v, "jobs.0"), "", 1, 0);
		json_decref(v);
	}
	iob_result_free(r);
}
END_TEST

/* ---- what it says ---- */

START_TEST(numbers)
{
	struct iob_result *r = tree_suite();
	json_t *v = document(r, "fio-json"), *j = at(v, "jobs.0");
	ck_assert_str_eq(json_string_value(at(v, "fio version")), "fio-3.42-iobench-0.1.0");
	ck_assert_int_eq(json_integer_value(at(v, "timestamp")), 1785542404);
	ck_assert_int_eq(json_integer_value(at(j, "job_start")), 1785542400123);
	ck_assert_int_eq(json_integer_value(at(j, "elapsed")), 4);
	ck_assert_int_eq(json_integer_value(at(j, "job_runtime")), 4000);
	ck_assert_int_eq(json_integer_value(at(j, "read.total_ios")), 12000);
	ck_assert_int_eq(json_integer_value(at(j, "read.io_bytes")), 98304000);
	ck_assert_int_eq(json_integer_value(at(j, "read.io_kbytes")), 96000);
	ck_assert_int_eq(json_integer_value(at(j, "read.bw_bytes")), 49152000);
	ck_assert_int_eq(json_integer_value(at(j, "read.bw")), 48000);
	ck_assert_int_eq(json_integer_value(at(j, "read.runtime")), 2000);
	ck_assert_double_eq(json_real_value(at(j, "read.iops")), 6000);
	ck_assert_int_eq(json_integer_value(at(j, "write.total_ios")), 3000);
	ck_assert_int_eq(json_integer_value(at(j, "trim.runtime")), 0);
	ck_assert_int_eq(json_integer_value(at(j, "read.bw_samples")), 2);
	ck_assert_int_eq(json_integer_value(at(j, "read.bw_min")), 48000);
	ck_assert_double_eq(json_real_value(at(j, "read.bw_mean")), 48000);
	ck_assert_double_eq(json_real_value(at(j, "read.bw_agg")), 100);
	ck_assert_double_eq(json_real_value(at(j, "read.iops_mean")), 6000);
	ck_assert_double_eq(json_real_value(at(j, "read.iops_stddev")), 0);
	ck_assert_int_eq(json_integer_value(at(v, "jobs.1.groupid")), 1);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(latencies)
{
	struct iob_result *r = tree_suite();
	json_t *v = document(r, "fio-json"), *read = at(v, "jobs.0.read");
	/* 11,980 of 100 us and 20 of 5 ms, a tenth of it in the submit call */
	double lat = (11980 * 1e5 + 20 * 5e6) / 12000;
	ck_assert_double_eq_tol(json_real_value(at(read, "lat_ns.mean")), lat, 1e-6);
	ck_assert_double_eq_tol(json_real_value(at(read, "slat_ns.mean")), lat / 10, 1e-6);
	ck_assert_double_eq_tol(json_real_value(at(read, "clat_ns.mean")), lat * 0.9, 1e-6);
	ck_assert_int_eq(json_integer_value(at(read, "lat_ns.max")), 5000000);
	ck_assert_int_eq(json_integer_value(at(read, "slat_ns.N")), 12000);
	ck_assert_double_eq_tol(json_real_value(at(v, "jobs.0.latency_us.100")), 11980 / 150.0,
				1e-6);
	ck_assert_double_eq_tol(json_real_value(at(v, "jobs.0.latency_us.250")), 10, 1e-6);
	ck_assert_double_eq_tol(json_real_value(at(v, "jobs.0.latency_us.500")), 10, 1e-6);
	ck_assert_double_eq_tol(json_real_value(at(v, "jobs.0.latency_ms.10")), 20 / 150.0, 1e-6);
	/* a sync engine has no slat, and its clat is its lat */
	ck_assert_int_eq(json_integer_value(at(v, "jobs.1.read.slat_ns.N")), 0);
	ck_assert(json_equal(at(v, "jobs.1.read.clat_ns"), at(v, "jobs.1.read.lat_ns")));
	json_decref(v);
	iob_result_free(r);
}
END_TEST

static const char *option(json_t *job, const char *name)
{
	const char *v = json_string_value(json_object_get(at(job, "job options"), name));
	return v ? v : "(none)";
}

START_TEST(options_made_up)
{
	struct iob_result *r = tree_suite();
	json_t *v = document(r, "fio-json"), *a = at(v, "jobs.0"), *b = at(v, "jobs.1");
	ck_assert_str_eq(option(a, "rw"), "randrw");
	ck_assert_str_eq(option(a, "rwmixread"), "80");
	ck_assert_str_eq(option(a, "bs"), "8k");
	ck_assert_str_eq(option(a, "numjobs"), "2");
	ck_assert_str_eq(option(a, "ioengine"), "io_uring");
	ck_assert_str_eq(option(a, "direct"), "1");
	ck_assert_str_eq(option(a, "runtime"), "2s");
	ck_assert_str_eq(option(a, "time_based"), "");
	ck_assert_str_eq(option(a, "group_reporting"), "");
	ck_assert_str_eq(option(a, "filename"), "/dev/loop7");
	ck_assert_str_eq(option(b, "rw"), "read");
	ck_assert_str_eq(option(b, "iodepth"), "32");
	ck_assert_str_eq(option(b, "ioengine"), "psync");
	ck_assert_int_eq(json_integer_value(at(b, "latency_depth")), 1);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(mixes_of_blocks)
{
	static const char *const mixes[][4] = {
		{ "4k:60,64k:40", "", "4k", "4k/60:64k/40" },
		{ "4k", "64k", "4k,64k", "(none)" },
		{ "8k", "8k", "8k", "(none)" },
	};
	for (size_t i = 0; i < IOBI_LEN(mixes); i++) {
		struct iob_result *w = idle_workload(), *r;
		tree_asked(w, "block_size", mixes[i][0]);
		tree_asked(w, "block_size_write", mixes[i][1]);
		json_t *v = document(r = alone(w), "fio-json");
		ck_assert_str_eq(option(at(v, "jobs.0"), "bs"), mixes[i][2]);
		ck_assert_str_eq(option(at(v, "jobs.0"), "bssplit"), mixes[i][3]);
		json_decref(v);
		iob_result_free(r);
	}
}
END_TEST

/* fio's own unless others were asked for. */
START_TEST(percentile_lists)
{
	struct iob_result *w = tree_mixed_workload(), *r = alone(w);
	json_t *v = document(r, "fio-json");
	json_t *list = at(v, "jobs.0.read.clat_ns.percentile");
	ck_assert_uint_eq(json_object_size(list), 17);
	ck_assert_ptr_nonnull(json_object_get(list, "99.990000"));
	json_decref(v);
	tree_asked(w, "percentiles", "50,99.999");
	v = document(r, "fio-json");
	list = at(v, "jobs.0.read.clat_ns.percentile");
	ck_assert_uint_eq(json_object_size(list), 2);
	ck_assert_ptr_nonnull(json_object_get(list, "99.999000"));
	json_decref(v);
	iob_result_free(r);
}
END_TEST

/* Of disks with members, their mean, and the members behind them. */
START_TEST(disks)
{
	struct iob_result *w = idle_workload(), *r = alone(w);
	char *below[] = { "sda", "sdb" };
	for (int i = 0; i < 3; i++) {
		struct iobi_device d = { .below = below };
		d.use = (struct iob_device_use){
			.size = sizeof(d.use),
			.flags = i ? IOB_DEVICE_PART : IOB_DEVICE_TARGET,
			.name = i ? below[i - 1] : "md0",
			.kind = i ? "disk" : "md",
			.about = "",
			.machine = "",
			.depth = i > 0,
			.n_below = i ? 0 : 2,
			.length_ns = 1000000000,
			.busy_ms = i ? 100 * (uint64_t)i : 50,
		};
		d.use.op[IOB_OP_READ] = (struct iob_device_io){ .ios = 10 + (uint64_t)i,
								.merges = 4,
								.bytes = 512 * (uint64_t)(i + 1) };
		ck_assert_int_eq(iobi_devices_add(r, &d), 0);
	}
	ck_assert_int_eq(iobi_devices_derive(r), 0);
	json_t *v = document(r, "fio-json"), *list = at(v, "disk_util");
	char with_members[512];
	snprintf(with_members, sizeof(with_members), "%s%s", of_disk, of_members);
	ck_assert_uint_eq(json_array_size(list), 3);
	has_head(v, ",disk_util []");
	has_keys(at(list, "0"), with_members);
	has_keys(at(list, "1"), of_disk);
	ck_assert_str_eq(json_string_value(at(list, "0.name")), "md0");
	ck_assert_int_eq(json_integer_value(at(list, "0.aggr_read_ios")), 11); /* (11 + 12) / 2 */
	ck_assert_double_eq(json_real_value(at(list, "0.util")), 5);
	ck_assert_double_eq(json_real_value(at(list, "0.aggr_util")), 20);
	ck_assert_int_eq(json_integer_value(at(list, "2.read_sectors")), 3);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

/* ---- how it is written ---- */

START_TEST(the_locale_changes_nothing)
{
	struct iob_result *r = tree_suite();
	char *c = tree_report(r, "fio-json");
	if (setlocale(LC_ALL, "de_DE.UTF-8")) {
		char *de = tree_report(r, "fio-json");
		ck_assert_str_eq(c, de);
		free(de);
		setlocale(LC_ALL, "C");
	} else {
		printf("not checked: there is no locale de_DE.UTF-8 here\n");
	}
	free(c);
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fio_json");
	TCase *t = tcase_create("all");
	tcase_add_test(t, all_keys);
	tcase_add_test(t, without_io);
	tcase_add_test(t, with_errors);
	tcase_add_test(t, when_cancelled);
	tcase_add_test(t, with_nothing);
	tcase_add_test(t, of_a_part);
	tcase_add_test(t, numbers);
	tcase_add_test(t, latencies);
	tcase_add_test(t, options_made_up);
	tcase_add_test(t, mixes_of_blocks);
	tcase_add_test(t, percentile_lists);
	tcase_add_test(t, disks);
	tcase_add_test(t, the_locale_changes_nothing);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
