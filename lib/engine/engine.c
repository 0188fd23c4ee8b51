/* SPDX-License-Identifier: MIT */
/* Which engines there are, and what they share. */
#include "engine/engines.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const struct iob_engine_ops *const engines[] = {
	&iobi_engine_null,     &iobi_engine_psync, &iobi_engine_libaio,
	&iobi_engine_io_uring, &iobi_engine_mmap,  &iobi_engine_posixaio,
};

const struct iob_engine_ops *iob_engine_get(size_t i)
{
	return i < IOBI_LEN(engines) ? engines[i] : NULL;
}

static void list_names(char *buf, size_t n)
{
	size_t used = (size_t)snprintf(buf, n, "auto");

	for (size_t i = 0; i < IOBI_LEN(engines) && used < n; i++)
		used += (size_t)snprintf(buf + used, n - used, ", %s", engines[i]->name);
}

/* What may be named: auto, and the engines. */
static const char *name_of(size_t i)
{
	if (!i)
		return "auto";
	return i <= IOBI_LEN(engines) ? engines[i - 1]->name : NULL;
}

const struct iob_engine_ops *iobi_engine_find(const char *name, struct iob_error *err)
{
	char names[128];

	for (size_t i = 0; i < IOBI_LEN(engines); i++) {
		if (!strcmp(name, engines[i]->name))
			return engines[i];
	}
	list_names(names, sizeof(names));
	const char *nearest = iobi_nearest(name, name_of);
	if (nearest)
		iobi_fail(err, ENOENT, "engine",
			  "there is no engine \"%s\"; did you mean %s? (the engines are %s)", name,
			  nearest, names);
	else
		iobi_fail(err, ENOENT, "engine", "there is no engine \"%s\"; the engines are %s",
			  name, names);
	return NULL;
}

const struct iob_engine_ops *iobi_engine_auto(uint32_t caps, struct iob_error *err)
{
	static const struct iob_engine_ops *const order[] = { &iobi_engine_io_uring,
							      &iobi_engine_libaio,
							      &iobi_engine_psync };
	const uint32_t asked = caps & (IOB_ENGINE_TRIM | IOB_ENGINE_FSYNC | IOB_ENGINE_POLL |
				       IOB_ENGINE_NO_TARGET);

	for (size_t i = 0; i < IOBI_LEN(order); i++) {
		if ((order[i]->caps & asked) != asked)
			continue;
		if (!order[i]->probe || order[i]->probe(NULL) >= 0)
			return order[i];
	}
	iobi_fail(
		err, EOPNOTSUPP, "engine",
		"no engine that \"auto\" tries (io_uring, libaio, psync) can do what the workload "
		"asks; name one");
	return NULL;
}

uint32_t iobi_engine_max_depth(const struct iob_engine_ops *ops)
{
	return ops == &iobi_engine_io_uring ? IOBI_URING_MAX_DEPTH : UINT32_MAX;
}

void iobi_engine_feature(const struct iob_engine_env *env, const char *word)
{
	size_t used;

	if (!env->features || !env->features_len)
		return;
	used = strnlen(env->features, env->features_len - 1);
	snprintf(env->features + used, env->features_len - used, "%s%s", used ? " " : "", word);
}

/* First character of a queue attribute of a device, 0 where there is none. The
 * queue directory of a partition is its parent's. */
static char queue_attribute(dev_t dev, const char *name)
{
	static const char *const ups[] = { "", "/.." };
	char path[128], c = 0;

	for (size_t i = 0; i < IOBI_LEN(ups); i++) {
		int fd;

		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s/queue/%s", major(dev),
			 minor(dev), ups[i], name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, &c, 1) != 1)
			c = 0;
		close(fd);
		return c;
	}
	return 0;
}

int iobi_engine_check_poll(const struct iob_engine_env *env, struct iob_error *err)
{
	for (uint32_t i = 0; i < env->n_targets; i++) {
		const struct iob_engine_target *t = &env->targets[i];
		struct stat st;

		if (fstat(t->fd, &st))
			return iobi_fail(err, errno, "poll", "cannot stat %s", t->path);
		if (queue_attribute(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev, "io_poll") == '1')
			continue;
		return iobi_fail(err, EOPNOTSUPP, "poll",
				 "the device of %s has no queues that can be polled "
				 "(queue/io_poll is not 1); use poll=false",
				 t->path);
	}
	return 0;
}

int *iobi_engine_fds(const struct iob_engine_env *env)
{
	int *fds = calloc(env->n_targets ? env->n_targets : 1, sizeof(*fds));

	for (uint32_t i = 0; fds && i < env->n_targets; i++)
		fds[i] = env->targets[i].fd;
	return fds;
}
