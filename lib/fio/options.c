/* SPDX-License-Identifier: MIT */
/* Every option of fio that is known, and what becomes of it. */
#include "fio/fio_priv.h"
#include <string.h>

#define ROW(key, name_, alias_, type, support_, help_)                                             \
	[IOBI_FIO_##key] = { .size = sizeof(struct iob_fio_option),                                \
			     .support = IOB_FIO_##support_,                                        \
			     .name = name_,                                                        \
			     .alias = alias_,                                                      \
			     .value = IOBI_FIO_TAKES_##type,                                       \
			     .help = help_ },
static const struct iob_fio_option rows[] = { IOBI_FIO_OPTIONS(ROW) };
#undef ROW

#define TYPE(key, name, alias, type, support, help) [IOBI_FIO_##key] = IOBI_FIO_IS_##type,
static const unsigned char types[] = { IOBI_FIO_OPTIONS(TYPE) };
#undef TYPE

/* clang-format off */
#define R(name_, alias_, help_)                                                                    \
	{ .size = sizeof(struct iob_fio_option), .support = IOB_FIO_REFUSED, .name = name_,        \
		.alias = alias_, .value = "", .help = help_ }

static const struct iob_fio_option refused[] = {
	R("rate_min", "ratemin", "a job that fails where its rate is too low"),
	R("rate_iops_min", NULL, "a job that fails where its rate is too low"),
	R("rate_cycle", "ratecycle", "a job that fails where its rate is too low"),
	R("rate_ignore_thinktime", NULL, "a schedule that stands still in pauses"),
	R("io_submit_mode", NULL, "threads that submit for others"),
	R("thinkcycles", NULL, "pauses by cycles of the CPU"),
	R("do_verify", NULL, "verification of data"),
	R("verify_fatal", NULL, "verification of data"),
	R("verify_dump", NULL, "verification of data"),
	R("verify_pattern", NULL, "verification of data"),
	R("verify_pattern_interval", NULL, "verification of data"),
	R("verify_interval", NULL, "verification of data"),
	R("verify_offset", NULL, "verification of data"),
	R("verify_backlog", NULL, "verification of data"),
	R("verify_backlog_batch", NULL, "verification of data"),
	R("verify_async", NULL, "verification of data"),
	R("verify_async_cpus", NULL, "verification of data"),
	R("verify_state_save", NULL, "verification of data"),
	R("verify_state_load", NULL, "verification of data"),
	R("verify_only", NULL, "verification of data"),
	R("verify_write_sequence", NULL, "verification of data"),
	R("verify_header_seed", NULL, "verification of data"),
	R("verify_policy", NULL, "verification of data"),
	R("verifysort", NULL, "verification of data"),
	R("verifysort_nr", NULL, "verification of data"),
	R("experimental_verify", NULL, "verification of data"),
	R("trim_percentage", NULL, "verification of data"),
	R("trim_verify_zero", NULL, "verification of data"),
	R("trim_backlog", NULL, "verification of data"),
	R("trim_backlog_batch", NULL, "verification of data"),
	R("block_error_percentiles", NULL, "verification of data"),
	R("write_hist_log", NULL, "histogram logs"),
	R("log_hist_msec", NULL, "histogram logs"),
	R("log_hist_coarseness", NULL, "histogram logs"),
	R("log_offset", NULL, "logs with offsets"),
	R("log_prio", NULL, "logs with priorities"),
	R("log_issue_time", NULL, "logs with issue times"),
	R("log_window_value", "log_max_value", "logs of maxima"),
	R("log_compression", NULL, "compressed logs"),
	R("log_compression_cpus", NULL, "compressed logs"),
	R("log_store_compressed", NULL, "compressed logs"),
	R("latency_target", NULL, "latency targets; iobench run --latency-target searches for one"),
	R("latency_window", NULL, "latency targets"),
	R("latency_percentile", NULL, "latency targets"),
	R("latency_run", NULL, "latency targets"),
	R("max_latency", NULL, "latency targets"),
	R("steadystate", "ss", "steady state detection; iobench run --until-steady has SNIA's rule"),
	R("steadystate_duration", "ss_dur", "steady state detection"),
	R("steadystate_ramp_time", "ss_ramp", "steady state detection"),
	R("steadystate_check_interval", "ss_interval", "steady state detection"),
	R("ramp_size", NULL, "a ramp by size"),
	R("bs_unaligned", "blocksize_unaligned", "block sizes of any length"),
	R("percentage_random", NULL, "a mix of random and sequential"),
	R("percentage_sequential", NULL, "a mix of random and sequential"),
	R("rw_sequencer", NULL, "repeated offsets"),
	R("rwmixcycle", NULL, "a mix by time"),
	R("random_sequence_stride", NULL, "random sequences"),
	R("sprandom", NULL, "preconditioning by random sequences"),
	R("spr_cs", NULL, "preconditioning by random sequences"),
	R("spr_num_regions", NULL, "preconditioning by random sequences"),
	R("spr_op", NULL, "preconditioning by random sequences"),
	R("dedupe_mode", NULL, "dedupe working sets"),
	R("dedupe_working_set_percentage", NULL, "dedupe working sets"),
	R("dedupe_global", NULL, "dedupe working sets"),
	R("zonemode", NULL, "zones"),
	R("zonesize", NULL, "zones"),
	R("zonerange", NULL, "zones"),
	R("zonecapacity", NULL, "zones"),
	R("zoneskip", NULL, "zones"),
	R("read_beyond_wp", NULL, "zones"),
	R("max_open_zones", NULL, "zones"),
	R("job_max_open_zones", NULL, "zones"),
	R("ignore_zone_limits", NULL, "zones"),
	R("zone_reset_threshold", NULL, "zones"),
	R("zone_reset_frequency", NULL, "zones"),
	R("write_zone_remainder", NULL, "zones"),
	R("recover_zbd_write_error", NULL, "zones"),
	R("initial_zone_reset", NULL, "zones"),
	R("zone_append", NULL, "zones"),
	R("read_iolog", NULL, "I/O logs and replay"),
	R("read_iolog_chunked", NULL, "I/O logs and replay"),
	R("write_iolog", NULL, "I/O logs and replay"),
	R("replay_no_stall", NULL, "I/O logs and replay"),
	R("replay_redirect", NULL, "I/O logs and replay"),
	R("replay_align", NULL, "I/O logs and replay"),
	R("replay_scale", NULL, "I/O logs and replay"),
	R("replay_skip", NULL, "I/O logs and replay"),
	R("replay_time_scale", NULL, "I/O logs and replay"),
	R("merge_blktrace_file", NULL, "I/O logs and replay"),
	R("merge_blktrace_scalars", NULL, "I/O logs and replay"),
	R("merge_blktrace_iters", NULL, "I/O logs and replay"),
	R("exec_prerun", NULL, "commands: none is ever run"),
	R("exec_postrun", NULL, "commands: none is ever run"),
	R("profile", NULL, "profiles"),
	R("threads", NULL, "profiles"),
	R("flow", NULL, "flow control between jobs"),
	R("flow_id", NULL, "flow control between jobs"),
	R("flow_watermark", NULL, "flow control between jobs"),
	R("flow_sleep", NULL, "flow control between jobs"),
	R("wait_for", NULL, "waiting for a job by its name"),
	R("lockfile", NULL, "file locks"),
	R("opendir", NULL, "searching a directory for files"),
	R("cgroup", NULL, "control groups"),
	R("cgroup_weight", NULL, "control groups"),
	R("cgroup_nodelete", NULL, "control groups"),
	R("ioscheduler", NULL, "changing the machine"),
	R("uid", NULL, "changing the user"),
	R("gid", NULL, "changing the user"),
	R("nice", NULL, "priorities"),
	R("prio", NULL, "priorities"),
	R("prioclass", NULL, "priorities"),
	R("priohint", NULL, "priorities"),
	R("cmdprio_percentage", NULL, "priorities"),
	R("cmdprio_class", NULL, "priorities"),
	R("cmdprio_hint", NULL, "priorities"),
	R("cmdprio", NULL, "priorities"),
	R("cmdprio_bssplit", NULL, "priorities"),
	R("numa_cpu_nodes", NULL, "memory policies"),
	R("numa_mem_policy", NULL, "memory policies"),
	R("comm", NULL, "names of processes"),
	R("end_syncfs", NULL, "syncfs"),
	R("sync_file_range", NULL, "sync_file_range"),
	R("write_barrier", NULL, "write barriers"),
	R("write_hint", NULL, "write hints"),
	R("serialize_overlap", NULL, "ordering of overlapping I/O"),
	R("num_range", NULL, "trims of several ranges"),
	R("fdp", NULL, "data placement"),
	R("dataplacement", "data_placement", "data placement"),
	R("plid_select", "fdp_pli_select", "data placement"),
	R("plids", "fdp_pli", "data placement"),
	R("dp_scheme", NULL, "data placement"),
	R("gpu_dev_id", "gpu_dev_ids", "GPU memory"),
	R("cuda_io", NULL, "GPU memory"),
	R("rocm_io", NULL, "GPU memory"),
	R("sqthread_poll", NULL, "a kernel thread that submits"),
	R("sqthread_poll_cpu", NULL, "a kernel thread that submits"),
	R("force_async", NULL, "io_uring's worker threads"),
	R("uncached", NULL, "uncached buffered I/O"),
	R("nowait", NULL, "I/O that may fail with EAGAIN"),
	R("cmd_type", NULL, "passthrough commands"),
	R("write_mode", NULL, "passthrough commands"),
	R("verify_mode", NULL, "passthrough commands"),
	R("readfua", NULL, "passthrough commands"),
	R("writefua", NULL, "passthrough commands"),
	R("sg_write_mode", NULL, "passthrough commands"),
	R("stream_id", NULL, "passthrough commands"),
	R("md_per_io_size", NULL, "passthrough commands"),
	R("pi_act", NULL, "passthrough commands"),
	R("pi_chk", NULL, "passthrough commands"),
	R("apptag", NULL, "passthrough commands"),
	R("apptag_mask", NULL, "passthrough commands"),
	R("hostname", NULL, "network engines"),
	R("port", NULL, "network engines"),
	R("protocol", "proto", "network engines"),
	R("interface", NULL, "network engines"),
	R("listen", NULL, "network engines"),
	R("pingpong", NULL, "network engines"),
	R("nodelay", NULL, "network engines"),
	R("verb", NULL, "network engines"),
	R("bindname", NULL, "network engines"),
	R("clustername", NULL, "Ceph engines"),
	R("rbdname", NULL, "Ceph engines"),
	R("clientname", NULL, "Ceph engines"),
	R("pool", NULL, "Ceph engines"),
	R("busy_poll", NULL, "Ceph engines"),
	R("conf", NULL, "Ceph engines"),
	R("cpuload", NULL, "engines without I/O"),
	R("cpumode", NULL, "engines without I/O"),
	R("cpuchunks", NULL, "engines without I/O"),
	R("exit_on_io_done", NULL, "engines without I/O"),
	R("skip_bad", NULL, "the mtd engine"),
	R("donorname", NULL, "the e4defrag engine"),
	R("inplace", NULL, "the e4defrag engine"),
	R("program", NULL, "the exec engine: no command is ever run"),
	R("arguments", NULL, "the exec engine: no command is ever run"),
	R("grace_time", NULL, "the exec engine: no command is ever run"),
	R("std_redirect", NULL, "the exec engine: no command is ever run"),
	R("http_host", NULL, "the http engine"),
	R("uri", NULL, "the nbd engine"),
	R("namenode", NULL, "the libhdfs engine"),
	R("chunk_size", NULL, "the libhdfs engine"),
	R("hipri_percentage", NULL, "a share of polled I/O"),
	R("thp", NULL, "transparent huge pages"),
	R("http_user", NULL, "the http engine"),
	R("http_pass", NULL, "the http engine"),
	R("https", NULL, "the http engine"),
	R("http_mode", NULL, "the http engine"),
	R("http_s3_region", NULL, "the http engine"),
	R("http_s3_key", NULL, "the http engine"),
	R("http_s3_keyid", NULL, "the http engine"),
	R("http_s3_security_token", NULL, "the http engine"),
	R("http_s3_sse_customer_key", NULL, "the http engine"),
	R("http_s3_sse_customer_algorithm", NULL, "the http engine"),
	R("http_s3_storage_class", NULL, "the http engine"),
	R("http_swift_auth_token", NULL, "the http engine"),
	R("http_verbose", NULL, "the http engine"),
	R("http_object_mode", NULL, "the http engine"),
	R("nfs_url", NULL, "the nfs engine"),
	R("volume", NULL, "the gfapi engines"),
	R("brick", NULL, "the gfapi engines"),
	R("cont", NULL, "the dfs engine"),
	R("object_class", NULL, "the dfs engine"),
	R("svcl", NULL, "the dfs engine"),
	R("touch_objects", NULL, "Ceph engines"),
	R("stat_type", NULL, "engines without I/O"),
	R("ttl", NULL, "network engines"),
	R("mss", NULL, "network engines"),
	R("window_size", NULL, "network engines"),
	R("libblkio_driver", NULL, "the libblkio engine"),
	R("libblkio_path", NULL, "the libblkio engine"),
	R("libblkio_pre_connect_props", NULL, "the libblkio engine"),
	R("libblkio_num_entries", NULL, "the libblkio engine"),
	R("libblkio_queue_size", NULL, "the libblkio engine"),
	R("libblkio_pre_start_props", NULL, "the libblkio engine"),
	R("libblkio_vectored", NULL, "the libblkio engine"),
	R("libblkio_write_zeroes_on_trim", NULL, "the libblkio engine"),
	R("libblkio_wait_mode", NULL, "the libblkio engine"),
	R("libblkio_force_enable_completion_eventfd", NULL, "the libblkio engine"),
	R("xnvme_async", NULL, "the xnvme engine"),
	R("xnvme_sync", NULL, "the xnvme engine"),
	R("xnvme_admin", NULL, "the xnvme engine"),
	R("xnvme_dev_nsid", NULL, "the xnvme engine"),
	R("xnvme_dev_subnqn", NULL, "the xnvme engine"),
	R("xnvme_mem", NULL, "the xnvme engine"),
	R("xnvme_iovec", NULL, "the xnvme engine"),
	R("spdk_conf", NULL, "SPDK engines"),
	R("spdk_json_conf", NULL, "SPDK engines"),
	R("spdk_mem", NULL, "SPDK engines"),
};
#undef R
/* clang-format on */

const struct iob_fio_option *iob_fio_option(size_t i)
{
	if (i < IOBI_LEN(rows))
		return &rows[i];
	i -= IOBI_LEN(rows);
	return i < IOBI_LEN(refused) ? &refused[i] : NULL;
}

const struct iob_fio_option *iobi_fio_row(int key)
{
	return &rows[key];
}

enum iobi_fio_type iobi_fio_type(int key)
{
	return (enum iobi_fio_type)types[key];
}

static int same(const char *name, size_t len, const char *known)
{
	return known && !strncmp(name, known, len) && !known[len];
}

int iobi_fio_key(const char *name, size_t len)
{
	for (int i = 0; i < IOBI_FIO_KEYS; i++)
		if (same(name, len, rows[i].name) || same(name, len, rows[i].alias))
			return i;
	return -1;
}

const struct iob_fio_option *iobi_fio_refused(const char *name, size_t len)
{
	for (size_t i = 0; i < IOBI_LEN(refused); i++)
		if (same(name, len, refused[i].name) || same(name, len, refused[i].alias))
			return &refused[i];
	return NULL;
}

/* Names and aliases in turn. */
static const char *spelling(size_t i)
{
	const struct iob_fio_option *o = iob_fio_option(i / 2);
	if (!o)
		return NULL;
	return i % 2 && o->alias ? o->alias : o->name;
}

const char *iobi_fio_nearest(const char *name)
{
	return iobi_nearest(name, spelling);
}
