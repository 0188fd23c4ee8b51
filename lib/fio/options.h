/* SPDX-License-Identifier: MIT */
/*
 * fio's options that are accepted, in one table: O(KEY, name, alias, type,
 * support, what becomes of it). Those that are refused follow in options.c;
 * docs/fio.md is made from both.
 */
#ifndef IOBI_FIO_OPTIONS_H
#define IOBI_FIO_OPTIONS_H

/* What an option takes, and how its text is judged. */
enum iobi_fio_type {
	IOBI_FIO_IS_FLAG,     /* nothing, 0 or 1 */
	IOBI_FIO_IS_BOOL,     /* 0 or 1 */
	IOBI_FIO_IS_INT,      /* a whole number */
	IOBI_FIO_IS_SIZE,     /* a size */
	IOBI_FIO_IS_PERCENT,  /* a size, or N% of the target */
	IOBI_FIO_IS_SIZES,    /* up to three sizes: reads, writes, trims */
	IOBI_FIO_IS_TIME,     /* a time, a bare number is seconds */
	IOBI_FIO_IS_TEXT,     /* text of a form of its own, not empty */
	IOBI_FIO_IS_ANY       /* any text */
};

#define IOBI_FIO_TAKES_FLAG "nothing, 0 or 1"
#define IOBI_FIO_TAKES_BOOL "0 or 1"
#define IOBI_FIO_TAKES_INT "number"
#define IOBI_FIO_TAKES_SIZE "size"
#define IOBI_FIO_TAKES_PERCENT "size or N%"
#define IOBI_FIO_TAKES_SIZES "size[,size[,size]]"
#define IOBI_FIO_TAKES_TIME "time"
#define IOBI_FIO_TAKES_TEXT "text"
#define IOBI_FIO_TAKES_ANY "text"

/* clang-format off */
#define IOBI_FIO_OPTIONS(O)                                                                            \
O(RW, "rw", "readwrite", TEXT, SUPPORTED, "pattern, read_percent, trim_percent; rw=randread:N is run_length N, rw=read:N is gap N and begins again until the size is moved, as in fio where that is the whole file, rw=read:-N is pattern=backward; trimwrite and randtrimwrite are trim_first. Reads and writes of rw walk one path together; in fio each of the two walks one of its own") \
O(BS, "bs", "blocksize", SIZES, SUPPORTED, "block_size, block_size_write; bs=4k,8k reads 4k and writes 8k, and so does bs=4k-8k (a range is bsrange)") \
O(BSRANGE, "bsrange", "blocksize_range", TEXT, SUPPORTED, "block_size=LOW-HIGH: any multiple of LOW up to HIGH") \
O(BSSPLIT, "bssplit", NULL, TEXT, SUPPORTED, "block_size as a mix, up to 16 sizes") \
O(BA, "ba", "blockalign", SIZE, SUPPORTED, "align, of random offsets") \
O(IOENGINE, "ioengine", NULL, TEXT, SUPPORTED, "engine: libaio (aio), io_uring, posixaio, mmap, null by their names; sync, psync, vsync, pvsync, pvsync2 are psync, which does one I/O at a time whatever iodepth says") \
O(IODEPTH, "iodepth", NULL, INT, SUPPORTED, "queue_depth") \
O(DIRECT, "direct", NULL, BOOL, SUPPORTED, "direct; fio's default 0 holds") \
O(BUFFERED, "buffered", NULL, BOOL, SUPPORTED, "the opposite of direct; the later of the two counts") \
O(ATOMIC, "atomic", NULL, BOOL, SUPPORTED, "direct=true; the device is not asked for untorn writes, and a note says so") \
O(SYNC, "sync", NULL, TEXT, SUPPORTED, "sync: 0 or none, 1 or sync (all), dsync (data)") \
O(FSYNC, "fsync", NULL, INT, SUPPORTED, "fsync_every, of jobs that write") \
O(FDATASYNC, "fdatasync", NULL, INT, SUPPORTED, "fsync_every and fsync_data, of jobs that write") \
O(END_FSYNC, "end_fsync", NULL, BOOL, SUPPORTED, "end_sync: flushed at the end, inside the measured time") \
O(FSYNC_ON_CLOSE, "fsync_on_close", NULL, BOOL, SUPPORTED, "close_sync: flushed after the measured time, before what comes next") \
O(SIZE, "size", NULL, PERCENT, SUPPORTED, "size: a job's own, divided among its files; N% of what the target has. On a device the part that is there; past the end of a file it is an error, since fio would rewrite that file") \
O(FILESIZE, "filesize", NULL, TEXT, SUPPORTED, "size of each file; with size, fio's files of this size up to that sum. A range is an error") \
O(IO_SIZE, "io_size", "io_limit", PERCENT, SUPPORTED, "io_size: how much is moved, more or less than the region") \
O(NUMBER_IOS, "number_ios", NULL, INT, SUPPORTED, "ios: how many I/Os are done, loops times as many") \
O(LOOPS, "loops", NULL, INT, SUPPORTED, "passes over the region, or io_size that many times") \
O(OFFSET, "offset", "fileoffset", PERCENT, SUPPORTED, "offset; N% is rounded down to the block") \
O(OFFSET_ALIGN, "offset_align", NULL, SIZE, SUPPORTED, "what offset=N% is rounded up to") \
O(OFFSET_INCREMENT, "offset_increment", NULL, PERCENT, SUPPORTED, "added to the offset of each clone, once more for each before it") \
O(RUNTIME, "runtime", "timeout", TIME, SUPPORTED, "runtime; without time_based the end of the size ends the job before it") \
O(TIME_BASED, "time_based", NULL, FLAG, SUPPORTED, "goes on until runtime, however often that is the size") \
O(RAMP_TIME, "ramp_time", NULL, TIME, SUPPORTED, "ramp_time: on top of runtime, not measured") \
O(RATE, "rate", NULL, TEXT, SUPPORTED, "rate_bytes of each clone; of rw and randrw reads and writes have a rate each (rate=READ,WRITE). An I/O starts when it is due, or at once when it is overdue") \
O(RATE_IOPS, "rate_iops", NULL, TEXT, SUPPORTED, "rate_iops of each clone, in the same way") \
O(RATE_PROCESS, "rate_process", NULL, TEXT, SUPPORTED, "arrival: linear is fixed, poisson is poisson") \
O(THINKTIME, "thinktime", NULL, TEXT, SUPPORTED, "think_time; a bare number is microseconds. The queue is empty while a job pauses; with a rate I/Os go on falling due meanwhile, and start after the pause") \
O(THINKTIME_BLOCKS, "thinktime_blocks", NULL, INT, SUPPORTED, "think_ios: I/Os from one pause to the next; fio's default 1 holds") \
O(THINKTIME_BLOCKS_TYPE, "thinktime_blocks_type", NULL, TEXT, SUPPORTED, "issue: I/Os are counted as they start; complete, fio's default, is taken as the same, with a note where several are in flight") \
O(THINKTIME_IOTIME, "thinktime_iotime", NULL, TEXT, SUPPORTED, "think_after: time of I/O from one pause to the next, also with thinktime_blocks where that is given") \
O(THINKTIME_SPIN, "thinktime_spin", NULL, TEXT, SUPPORTED, "think_spin: so much of a pause takes a CPU") \
O(STARTDELAY, "startdelay", NULL, TEXT, SUPPORTED, "start_delay; of a range each clone draws its own") \
O(NUMJOBS, "numjobs", NULL, INT, SUPPORTED, "as many workloads side by side, each with the job's whole size") \
O(STONEWALL, "stonewall", "wait_for_previous", FLAG, SUPPORTED, "starts a stage: waits for all jobs before it; clones do not wait for each other") \
O(NEW_GROUP, "new_group", NULL, FLAG, SUPPORTED, "starts a group of fio's reports; runs beside the jobs before it") \
O(GROUP_REPORTING, "group_reporting", NULL, FLAG, SUPPORTED, "fio's reports have one entry for a group") \
O(NAME, "name", NULL, ANY, SUPPORTED, "name, instead of the section's, which files are still called by") \
O(DESCRIPTION, "description", NULL, ANY, SUPPORTED, "kept with the job for reports") \
O(FILENAME, "filename", NULL, TEXT, SUPPORTED, "targets, a : between them (\\: is one of the name); given again it adds") \
O(DIRECTORY, "directory", NULL, TEXT, SUPPORTED, "put before the file names; of a list each clone takes the next") \
O(FILENAME_FORMAT, "filename_format", NULL, TEXT, SUPPORTED, "names of files that have none: $jobname, $jobnum, $filenum") \
O(NRFILES, "nrfiles", "nr_files", INT, SUPPORTED, "as many targets of size / nrfiles each") \
O(FILE_SERVICE_TYPE, "file_service_type", NULL, TEXT, SUPPORTED, "target_order and target_run: roundrobin, random, sequential, each with :N; the others are errors") \
O(RWMIXREAD, "rwmixread", NULL, INT, SUPPORTED, "read_percent of rw and randrw, chosen for each I/O") \
O(RWMIXWRITE, "rwmixwrite", NULL, INT, SUPPORTED, "100 less read_percent; the later of the two counts") \
O(NORANDOMMAP, "norandommap", NULL, FLAG, SUPPORTED, "repeats=true") \
O(RANDREPEAT, "randrepeat", "allrandrepeat", BOOL, SUPPORTED, "1: a fixed seed for each clone; 0: seed=0, drawn. Offsets are not those that fio draws") \
O(RANDSEED, "randseed", NULL, TEXT, SUPPORTED, "seed, another for each clone") \
O(RANDOM_DISTRIBUTION, "random_distribution", NULL, TEXT, SUPPORTED, "distribution: random (uniform), zipf, pareto, normal, zoned, zoned_abs; all but random imply repeats=true") \
O(INVALIDATE, "invalidate", NULL, BOOL, SUPPORTED, "invalidate, before each pass over the region as in fio; fio's default 1 holds") \
O(PRE_READ, "pre_read", NULL, BOOL, SUPPORTED, "pre_read") \
O(CREATE_ONLY, "create_only", NULL, BOOL, SUPPORTED, "make_only") \
O(OVERWRITE, "overwrite", NULL, BOOL, SUPPORTED, "1: a missing file is filled before it is written (layout=filled)") \
O(FALLOCATE, "fallocate", NULL, TEXT, SUPPORTED, "layout of a missing file that is only written: native, posix, keep, 1 are allocated; none, truncate, 0 are sparse") \
O(UNLINK, "unlink", NULL, BOOL, SUPPORTED, "remove: files that the run made are removed at its end; never one that was there before") \
O(UNLINK_EACH_LOOP, "unlink_each_loop", NULL, BOOL, SUPPORTED, "as unlink: once, at the end of the run") \
O(FILL_DEVICE, "fill_device", "fill_fs", BOOL, SUPPORTED, "one pass over the whole device or file; a file system is not filled") \
O(REFILL_BUFFERS, "refill_buffers", NULL, FLAG, NO_EFFECT, "what is written differs in every I/O in any case") \
O(SCRAMBLE_BUFFERS, "scramble_buffers", NULL, BOOL, NO_EFFECT, "what is written differs in every I/O in any case") \
O(ZERO_BUFFERS, "zero_buffers", NULL, FLAG, SUPPORTED, "buffer=zero") \
O(BUFFER_PATTERN, "buffer_pattern", NULL, TEXT, SUPPORTED, "buffer=pattern:HEX, up to 64 bytes: 0xHEX, a decimal number, \\\"text\\\", or several in a row; a file's name is an error") \
O(BUFFER_COMPRESS_PERCENTAGE, "buffer_compress_percentage", NULL, INT, SUPPORTED, "compress_percent") \
O(BUFFER_COMPRESS_CHUNK, "buffer_compress_chunk", NULL, SIZE, SUPPORTED, "compress_chunk; fio's default 512 holds") \
O(DEDUPE_PERCENTAGE, "dedupe_percentage", NULL, INT, SUPPORTED, "dedupe_percent") \
O(CPUS_ALLOWED, "cpus_allowed", NULL, TEXT, SUPPORTED, "cpus") \
O(CPUS_ALLOWED_POLICY, "cpus_allowed_policy", NULL, TEXT, SUPPORTED, "shared: cpus_policy=any; split: each clone gets the next CPU") \
O(CPUMASK, "cpumask", NULL, INT, SUPPORTED, "cpus, as a mask of bits") \
O(HIPRI, "hipri", NULL, FLAG, SUPPORTED, "poll=true") \
O(EXITALL, "exitall", NULL, FLAG, SUPPORTED, "ends_others: when the job ends, so do the others; see exit_what") \
O(EXIT_WHAT, "exit_what", NULL, TEXT, SUPPORTED, "group and stonewall: those of the same stage; all: the whole run") \
O(EXITALL_ON_ERROR, "exitall_on_error", NULL, FLAG, SUPPORTED, "on_error=cancel: an I/O error ends the run") \
O(CONTINUE_ON_ERROR, "continue_on_error", NULL, TEXT, SUPPORTED, "on_error=continue, of reads and writes alike; none, 0 and verify are on_error=stop") \
O(IGNORE_ERROR, "ignore_error", NULL, TEXT, SUPPORTED, "on_error=continue; the result has the errors all the same") \
O(PERCENTILE_LIST, "percentile_list", NULL, TEXT, SUPPORTED, "percentiles") \
O(KB_BASE, "kb_base", NULL, TEXT, SUPPORTED, "1000: k, m, g in sizes are powers of 1000") \
O(CLAT_PERCENTILES, "clat_percentiles", NULL, BOOL, SUPPORTED, "whether fio's reports have percentiles of clat") \
O(LAT_PERCENTILES, "lat_percentiles", NULL, BOOL, SUPPORTED, "whether fio's reports have percentiles of lat") \
O(SLAT_PERCENTILES, "slat_percentiles", NULL, BOOL, SUPPORTED, "whether fio's reports have percentiles of slat") \
O(DISABLE_LAT, "disable_lat", NULL, BOOL, NO_EFFECT, "latencies are always measured; there is no log of it") \
O(DISABLE_CLAT, "disable_clat", NULL, BOOL, NO_EFFECT, "latencies are always measured; there is no log of it") \
O(DISABLE_SLAT, "disable_slat", NULL, BOOL, NO_EFFECT, "latencies are always measured; there is no log of it") \
O(DISABLE_BW, "disable_bw_measurement", "disable_bw", BOOL, NO_EFFECT, "the bandwidth is always measured") \
O(GTOD_REDUCE, "gtod_reduce", NULL, BOOL, NO_EFFECT, "latencies are always measured") \
O(UNIFIED_RW_REPORTING, "unified_rw_reporting", NULL, TEXT, NO_EFFECT, "fio's reports tell reads, writes and trims apart") \
O(WRITE_BW_LOG, "write_bw_log", NULL, ANY, SUPPORTED, "iobench fio writes NAME_bw.N.log: what the report fio-bw-log has of any result") \
O(WRITE_IOPS_LOG, "write_iops_log", NULL, ANY, SUPPORTED, "iobench fio writes NAME_iops.N.log, as of the report fio-iops-log") \
O(WRITE_LAT_LOG, "write_lat_log", NULL, ANY, SUPPORTED, "iobench fio writes NAME_lat.N.log, NAME_slat.N.log and NAME_clat.N.log, as of the reports fio-lat-log, fio-slat-log, fio-clat-log") \
O(LOG_AVG_MSEC, "log_avg_msec", NULL, INT, SUPPORTED, "of how long a line of a log is the mean: 100 ms or more, in runs over a minute more, and never a single I/O, which 0 is in fio") \
O(PER_JOB_LOGS, "per_job_logs", NULL, BOOL, SUPPORTED, "0: one log of all jobs, without a number") \
O(LOG_UNIX_EPOCH, "log_unix_epoch", NULL, BOOL, SUPPORTED, "times in logs are since 1970") \
O(LOG_ALTERNATE_EPOCH, "log_alternate_epoch", NULL, BOOL, SUPPORTED, "as log_unix_epoch") \
O(LOG_ENTRIES, "log_entries", NULL, INT, NO_EFFECT, "intervals take the room they need") \
O(STATS, "stats", NULL, BOOL, SUPPORTED, "0: fio's reports leave the job out") \
O(DISK_UTIL, "disk_util", NULL, BOOL, SUPPORTED, "0: fio's reports list no disks") \
O(UNIT_BASE, "unit_base", NULL, TEXT, NO_EFFECT, "kept with the job for fio's reports") \
O(SIGNIFICANT_FIGURES, "significant_figures", NULL, INT, NO_EFFECT, "kept with the job for fio's reports") \
O(BWAVGTIME, "bwavgtime", NULL, INT, NO_EFFECT, "intervals are 100 ms or longer") \
O(IOPSAVGTIME, "iopsavgtime", NULL, INT, NO_EFFECT, "intervals are 100 ms or longer") \
O(OPENFILES, "openfiles", NULL, INT, NO_EFFECT, "all files of a job are open while it runs") \
O(THREAD, "thread", NULL, FLAG, NO_EFFECT, "jobs are threads in any case") \
O(CLOCKSOURCE, "clocksource", NULL, TEXT, NO_EFFECT, "the processor's clock is used where the kernel trusts it, else clock_gettime") \
O(LOG_ALTERNATE_EPOCH_CLOCK_ID, "log_alternate_epoch_clock_id", NULL, INT, NO_EFFECT, "logs have the wall clock") \
O(JOB_START_CLOCK_ID, "job_start_clock_id", NULL, INT, NO_EFFECT, "starts are told by the wall clock") \
O(GTOD_CPU, "gtod_cpu", NULL, INT, NO_EFFECT, "each thread reads the clock itself") \
O(RANDOM_GENERATOR, "random_generator", NULL, TEXT, NO_EFFECT, "a permutation covers each block once a pass, whatever their number") \
O(SOFTRANDOMMAP, "softrandommap", NULL, BOOL, NO_EFFECT, "no map of blocks is kept in memory") \
O(CREATE_SERIALIZE, "create_serialize", NULL, BOOL, NO_EFFECT, "missing files are made one after another, before anything runs") \
O(CREATE_FSYNC, "create_fsync", NULL, BOOL, NO_EFFECT, "files that are made are flushed") \
O(CREATE_ON_OPEN, "create_on_open", NULL, BOOL, NO_EFFECT, "missing files are made before anything runs") \
O(ALLOW_FILE_CREATE, "allow_file_create", NULL, BOOL, NO_EFFECT, "a missing file is made where --create or --allow-destroy allows it") \
O(ALLOW_MOUNTED_WRITE, "allow_mounted_write", NULL, BOOL, NO_EFFECT, "a mounted device is never written") \
O(FILE_APPEND, "file_append", NULL, BOOL, SUPPORTED, "a file that is missing is written from its start; one that is there never grows, which is an error") \
O(UNIQUE_FILENAME, "unique_filename", NULL, BOOL, NO_EFFECT, "is for fio's network mode") \
O(FADVISE_HINT, "fadvise_hint", NULL, TEXT, NO_EFFECT, "the kernel is given no hint") \
O(MEM, "mem", "iomem", TEXT, NO_EFFECT, "buffers are anonymous pages") \
O(MEM_ALIGN, "iomem_align", "mem_align", SIZE, NO_EFFECT, "buffers begin at a page") \
O(LOCKMEM, "lockmem", NULL, SIZE, NO_EFFECT, "memory is not locked to squeeze the page cache") \
O(HUGEPAGE_SIZE, "hugepage-size", NULL, SIZE, NO_EFFECT, "buffers are ordinary pages") \
O(ERROR_DUMP, "error_dump", NULL, BOOL, NO_EFFECT, "the first error is in the result") \
O(IODEPTH_BATCH, "iodepth_batch", "iodepth_batch_submit", INT, NO_EFFECT, "what is free is submitted together") \
O(IODEPTH_BATCH_COMPLETE_MIN, "iodepth_batch_complete_min", "iodepth_batch_complete", INT, NO_EFFECT, "what is done is taken together") \
O(IODEPTH_BATCH_COMPLETE_MAX, "iodepth_batch_complete_max", NULL, INT, NO_EFFECT, "what is done is taken together") \
O(IODEPTH_LOW, "iodepth_low", NULL, INT, NO_EFFECT, "the queue is kept full") \
O(FIXEDBUFS, "fixedbufs", NULL, FLAG, NO_EFFECT, "io_uring registers buffers where the kernel lets it") \
O(REGISTERFILES, "registerfiles", NULL, FLAG, NO_EFFECT, "io_uring registers files in any case") \
O(NONVECTORED, "nonvectored", NULL, BOOL, NO_EFFECT, "io_uring reads and writes without vectors") \
O(USERSPACE_REAP, "userspace_reap", NULL, FLAG, NO_EFFECT, "completions are taken from the ring where that can be done") \
O(BS_IS_SEQ_RAND, "bs_is_seq_rand", NULL, BOOL, SUPPORTED, "only 0") \
O(VERIFY, "verify", NULL, TEXT, SUPPORTED, "only 0 and none: nothing is verified")
/* clang-format on */

#define IOBI_FIO_KEY(key, name, alias, type, support, help) IOBI_FIO_##key,
enum { IOBI_FIO_OPTIONS(IOBI_FIO_KEY) IOBI_FIO_KEYS };
#undef IOBI_FIO_KEY

#endif
