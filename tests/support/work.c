/* SPDX-License-Identifier: MIT */
#include "work.h"

#include "device.h"
#include "rig.h"
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <linux/fs.h>
#include <unistd.h>

struct iob_workload *work(const char *parameters, const char *path, unsigned flags)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = iob_workload_new(&err);
	char *text = strdup(parameters), *rest = text;
	ck_assert_ptr_nonnull(w);
	for (char *word; (word = strsep(&rest, " "));) {
		char *value = strchr(word, '=');
		if (!value)
			continue;
		*value++ = 0;
		ck_assert_msg(iob_workload_set(w, word, value, &err) == 0, "%s=%s: %s", word, value,
			      err.message);
	}
	free(text);
	if (path)
		ck_assert_int_eq(iob_workload_add_target(w, path, flags, &err), 0);
	return w;
}

struct iob_result *work_run(const char *parameters, const char *path, unsigned flags)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work(parameters, path, flags);
	struct iob_result *r = iob_workload_run(w, &err);
	ck_assert_msg(r, "%s: %s: %s", parameters, err.where, err.message);
	iob_workload_free(w);
	return r;
}

/* Asked once, so that all tests of a suite, which are forked, speak of the same ones. */
const struct iob_engine_ops *work_engine(size_t i)
{
	static const struct iob_engine_ops *works[16];
	static size_t n;
	static int asked;
	const struct iob_engine_ops *e;
	struct iob_error err;
	for (size_t k = 0; !asked && n < 16 && (e = iob_engine_get(k)); k++) {
		if (e->caps & IOB_ENGINE_NO_TARGET || (e->probe && e->probe(&err)))
			continue;
		if (RIG_POSIXAIO || strcmp(e->name, "posixaio"))
			works[n++] = e;
	}
	asked = 1;
	return i < n ? works[i] : NULL;
}

size_t work_engine_count(void)
{
	size_t n = 0;
	while (work_engine(n))
		n++;
	return n;
}

long long work_effective(const struct iob_result *r, const char *name)
{
	const char *text = iob_result_effective(r, name);
	ck_assert_msg(text, "no effective %s", name);
	return atoll(text);
}

/* Also for fixtures, where check's assertions are not allowed. */
static void require(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		abort();
	}
}

void work_file(const char *path, size_t bytes, int fill)
{
	unsigned char block[65536];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	require(fd >= 0, path);
	memset(block, fill, sizeof(block));
	for (size_t done = 0; done < bytes;) {
		size_t n = bytes - done < sizeof(block) ? bytes - done : sizeof(block);
		require(write(fd, block, n) == (ssize_t)n, path);
		done += n;
	}
	require(fsync(fd) == 0, path);
	close(fd);
}

unsigned char *work_read(const char *path, size_t bytes)
{
	unsigned char *data = malloc(bytes);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ck_assert_int_ge(fd, 0);
	for (ssize_t n; done < bytes && (n = read(fd, data + done, bytes - done)) > 0;)
		done += (size_t)n;
	ck_assert_uint_eq(done, bytes);
	close(fd);
	return data;
}

void work_skip(const char *what, int error)
{
	printf("skipped: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(IOB_TEST_SKIPPED);
}

void work_need_throttle(unsigned iops)
{
	struct dev dev;
	int status, error = dev_begin();
	if (!error)
		error = dev_loop(1 << 20, 0, &dev);
	if (error)
		work_skip("a loop device", error);
	pid_t pid = fork();
	if (pid == 0)
		_exit(-dev_throttle(dev.path, iops, iops, 0));
	waitpid(pid, &status, 0);
	if (status)
		work_skip("an IOPS limit by control group", WEXITSTATUS(status));
}
