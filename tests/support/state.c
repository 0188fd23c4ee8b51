/* SPDX-License-Identifier: MIT */
/* Who owns what a test made, and its end. */
#include "device_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char state_dir[128];
static pid_t state_owner;

int dev_read_text(const char *path, char *text, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t got = read(fd, text, n - 1);
	int error = got < 0 ? -errno : 0;
	close(fd);
	text[got > 0 ? got : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return error;
}

int dev_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int error = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* Names the directory; a start time beside the pid, for pids come back. */
static int name_dir(pid_t owner)
{
	char path[64], text[1024], *p;
	snprintf(path, sizeof(path), "/proc/%d/stat", owner);
	int error = dev_read_text(path, text, sizeof(text));
	if (error)
		return error;
	p = strrchr(text, ')');
	unsigned long long start = 0;
	if (!p || sscanf(p + 1,
			 " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d"
			 " %*d %*d %*d %llu",
			 &start) != 1)
		return -EIO;
	snprintf(state_dir, sizeof(state_dir), "/tmp/iobench-testdev.%d.%llu", owner, start);
	state_owner = owner;
	return 0;
}

static void path_of(const char *name, char *path, size_t n)
{
	snprintf(path, n, "%s/%s", state_dir, name);
}

int dev_record(const char *kind, const char *a, const char *b)
{
	char path[256], line[1024];
	path_of("log", path, sizeof(path));
	int len = snprintf(line, sizeof(line), "%s %s %s\n", kind, a, b);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int error = write(fd, line, (size_t)len) == len ? 0 : -EIO;
	close(fd);
	return error;
}

unsigned dev_serial(void)
{
	for (unsigned i = 0;; i++) {
		char name[32], path[256];
		snprintf(name, sizeof(name), "n%u", i);
		path_of(name, path, sizeof(path));
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		close(fd);
		return i;
	}
}

const char *dev_dir(void)
{
	return state_dir;
}

static int undo(const char *kind, const char *a, const char *b)
{
	if (!strcmp(kind, "loop"))
		return dev_undo_loop(a, b);
	if (!strcmp(kind, "zram"))
		return dev_undo_zram(a, b);
	if (!strcmp(kind, "mount"))
		return dev_undo_mount(a, b);
	if (!strcmp(kind, "cgroup"))
		return dev_undo_cgroup(a, b);
	return dev_write_text(a, b); /* setting */
}

/* A device may be held for a moment by a test that was killed just now. */
static void undo_line(const char *line)
{
	char kind[16], a[512], b[512] = "";
	if (sscanf(line, "%15s %511s %511[^\n]", kind, a, b) < 2)
		return;
	int error = undo(kind, a, b);
	for (int tries = 0; error == -EBUSY && tries < 100; tries++) {
		usleep(50000);
		error = undo(kind, a, b);
	}
	if (error)
		fprintf(stderr, "testdev: %s %s is left behind: %s\n", kind, a, strerror(-error));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void undo_all(void)
{
	char path[256], *line[4096], text[1024];
	size_t n = 0;
	path_of("log", path, sizeof(path));
	FILE *log = fopen(path, "r");
	while (log && n < 4096 && fgets(text, sizeof(text), log))
		line[n++] = strdup(text);
	if (log)
		fclose(log);
	while (n--) {
		undo_line(line[n]);
		free(line[n]);
	}
	nftw(state_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void dev_end(void)
{
	if (state_dir[0] && !access(state_dir, F_OK))
		undo_all();
}

/* Also run in children that check forked and that exit: not theirs to undo. */
static void end_at_exit(void)
{
	if (getpid() == state_owner)
		dev_end();
}

static void guard(int pidfd)
{
	setsid();
	if (chdir("/"))
		_exit(1);
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	int keep = dup2(pidfd, 3);
	syscall(SYS_close_range, 4, ~0U, 0);
	struct pollfd p = { .fd = keep, .events = POLLIN };
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	dev_end();
	_exit(0);
}

/* Forked twice, so that nobody waits for it and no killer of the tree finds it. */
static int start_guard(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, state_owner, 0);
	if (pidfd < 0)
		return errno == ENOSYS ? 0 : -errno; /* valgrind 3.19: no guard */
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			guard(pidfd);
		_exit(0);
	}
	close(pidfd);
	if (pid < 0)
		return -errno;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int dev_begin_for(pid_t owner)
{
	int error = name_dir(owner);
	if (error)
		return error;
	if (mkdir(state_dir, 0700))
		return errno == EEXIST ? 0 : -errno;
	return start_guard();
}

int dev_begin(void)
{
	int error = dev_begin_for(getpid());
	if (!error && atexit(end_at_exit))
		error = -ENOMEM;
	return error;
}

int dev_setting(const char *path, const char *value)
{
	char old[256];
	int error = dev_read_text(path, old, sizeof(old));
	if (!error)
		error = dev_record("setting", path, old);
	return error ? error : dev_write_text(path, value);
}

int dev_missing(int error)
{
	return error == -ENOENT || error == -ENODEV || error == -EPERM || error == -EACCES ||
	       error == -EOPNOTSUPP || error == -EROFS;
}
