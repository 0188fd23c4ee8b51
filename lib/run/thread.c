/* SPDX-License-Identifier: MIT */
#include "run/thread.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_proc(int tid, const char *name, char *text, size_t n)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, n - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* The name, which may have anything in it, ends at the last bracket. */
static bool read_stat(const char *text, struct iobi_usage *u)
{
	static const char form[] =
		" %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %" SCNu64;
	const char *rest = strrchr(text, ')');
	uint64_t user, system, tick = (uint64_t)sysconf(_SC_CLK_TCK);
	if (!rest || !tick ||
	    sscanf(rest + 1, form, &u->minor_faults, &u->major_faults, &user, &system) != 4)
		return false;
	u->user_ns = user * (1000000000 / tick);
	u->system_ns = system * (1000000000 / tick);
	return true;
}

static uint64_t number_behind(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

bool iobi_thread_usage(int tid, struct iobi_usage *u)
{
	char text[4096];
	if (!read_proc(tid, "stat", text, sizeof(text)) || !read_stat(text, u))
		return false;
	if (!read_proc(tid, "status", text, sizeof(text)))
		return false;
	u->switches = number_behind(text, "\nvoluntary_ctxt_switches:") +
		      number_behind(text, "\nnonvoluntary_ctxt_switches:");
	return true;
}
