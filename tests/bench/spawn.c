/* SPDX-License-Identifier: MIT */
/* spawn N COMMAND...: runs it N times and prints, a line each, the wall time in ns from before
 * fork to after wait, its peak resident memory in KiB, and its exit status. Small, because a
 * child's peak starts at that of the process it was forked from. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void become(char **command)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	if (n <= 0) {
		fputs("usage: spawn N COMMAND...\n", stderr);
		return 2;
	}
	while (n-- > 0) {
		struct rusage use;
		int status;
		long long start = now_ns();
		pid_t child = fork();
		if (!child)
			become(argv + 2);
		if (child < 0 || wait4(child, &status, 0, &use) != child) {
			perror("spawn");
			return 1;
		}
		long long wall = now_ns() - start;
		printf("%lld %ld %d\n", wall, use.ru_maxrss, status);
	}
	return 0;
}
