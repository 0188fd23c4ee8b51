/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* A handler has no argument of its own, so these are the tool's only globals. */
static struct iob_run *_Atomic watched;
static const char *_Atomic doomed[FORMATS_MAX];
static atomic_int signals;

static void end_now(void)
{
	for (size_t i = 0; i < FORMATS_MAX; i++)
		if (doomed[i])
			unlink(doomed[i]);
	_exit(EXIT_INTERRUPTED);
}

static void on_signal(int sig)
{
	struct iob_run *run = watched;
	int saved = errno;

	if (atomic_fetch_add(&signals, 1) || !run)
		end_now();
	iob_run_cancel(run);
	errno = saved;
}

/* SIGINT counts also where a shell started the job with it ignored (cmd &);
 * a hangup only where nohup did not ask for it to be. */
void signals_install(void)
{
	struct sigaction action = { .sa_handler = on_signal }, old;

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a report past `ulimit -f` is an error that is told */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

void signals_watch(struct iob_run *run)
{
	watched = run;
}

bool signals_got(void)
{
	return signals > 0;
}

void signals_doom(const char *path)
{
	for (size_t i = 0; i < FORMATS_MAX; i++)
		if (!doomed[i]) {
			doomed[i] = path;
			return;
		}
}

void signals_spare(const char *path)
{
	for (size_t i = 0; i < FORMATS_MAX; i++)
		if (doomed[i] == path)
			doomed[i] = NULL;
}
