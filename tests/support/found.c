/* SPDX-License-Identifier: MIT */
#include "support/found.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

enum {
	TRIES = 4,
	MIB = 1 << 20,
	DISK_MIB = 128
};

/* ---- a device ---- */

static int fill(const char *path)
{
	static uint64_t block[MIB / sizeof(uint64_t)];
	uint64_t x = 88172645463325252;
	int fd = open(path, O_WRONLY | O_CLOEXEC), ok = fd >= 0;
	for (int i = 0; i < DISK_MIB && ok; i++) {
		for (size_t k = 0; k < sizeof(block) / sizeof(*block); k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			block[k] = x;
		}
		ok = write(fd, block, MIB) == MIB;
	}
	ok = ok && !fsync(fd);
	int rc = ok ? 0 : -errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

int found_disk(struct dev *out)
{
	int rc = dev_loop((uint64_t)DISK_MIB * MIB, 0, out);
	return rc ? rc : fill(out->path);
}

/* ---- runs ---- */

/* The first word of the list that is there, or is not, against what is wanted. */
static bool first_wrong(const struct iob_result *r, const char *list, bool there, char *word)
{
	for (const char *at = list ? list : ""; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		snprintf(word, 64, "%.*s", (int)n, at);
		if (!seed_finding(r, word) == there)
			return true;
		at += n;
	}
	return false;
}

struct iob_result *found_until(found_run run, const void *arg, const char *with,
			       const char *without)
{
	char word[64];
	for (int try = 1;; try++) {
		struct iob_result *r = run(arg);
		bool missing = first_wrong(r, with, true, word);
		if (!missing && !first_wrong(r, without, false, word))
			return r;
		const struct iob_finding *f = seed_finding(r, word);
		printf("try %d: %s%s\n", try, missing ? "no " : "", f ? f->message : word);
		fflush(stdout);
		ck_assert_msg(try < TRIES, "%s: %s", word, f ? f->message : "is not there");
		iob_result_free(r);
	}
}

struct iob_result *found_plain(const void *arg)
{
	const struct found_plain *p = arg;
	return work_run(p->parameters, p->path, IOB_TARGET_ALLOW_DESTROY);
}

void found_on(const char *path, const char *parameters, const char *with, const char *without)
{
	const struct found_plain p = { parameters, path };
	iob_result_free(found_until(found_plain, &p, with, without));
}

double found_number(const struct iob_result *r, const char *code, const char *name)
{
	return seed_number(seed_finding(r, code), name);
}

void found_cover(const char *path, const char *with)
{
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	ck_assert_int_eq(mount(with, path, NULL, MS_BIND, NULL), 0);
}

void found_uncover(const char *path)
{
	ck_assert_int_eq(umount2(path, MNT_DETACH), 0);
}
