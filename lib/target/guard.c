/* SPDX-License-Identifier: MIT */
/*
 * Permission to write. A device that is in use - mounted, swap, part of a
 * stacked device, or any partition, parent or holder of it - is refused
 * always; what a loop device's backing file lies on is no such use.
 */
#include "target/signatures.h"
#include "target/target.h"
#include "target/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int denied(const struct iobi_target *t, struct iob_error *err, const char *flag,
		  const char *why)
{
	return iobi_fail_at(err, EPERM, "target", t->path, 0,
			    "\"%s\" may not be written: %s; give it %s if its data can be lost",
			    t->path, why, flag);
}

/* The first one, and how many more there are. */
static int in_use(const struct iobi_target *t, const struct iobi_users *u, struct iob_error *err)
{
	char more[40] = "";
	if (u->n > 1)
		snprintf(more, sizeof(more), " (and %zu more)", u->n - 1);
	return iobi_fail_at(err, EBUSY, "target", t->path, 0,
			    "\"%s\" is in use and is never written: %s%s", t->path,
			    u->list[0].message, more);
}

static int find_users(const struct iobi_target *t, struct iobi_system *sys,
		      struct iobi_users *u)
{
	return t->is_block ? iobi_users_of_device(sys, t->rdev, u)
			   : iobi_users_of_file(sys, t->dev, t->ino, u);
}

static int mounts_unknown(const struct iobi_target *t, int why, struct iob_error *err)
{
	return iobi_fail_at(err, EBUSY, "target", t->path, 0,
			    "\"%s\" is not written: %s, so it may be mounted", t->path,
			    why == -ELIBACC ? "libmount.so.1 cannot be loaded"
					    : "/proc/self/mountinfo cannot be read");
}

static int check_users(const struct iobi_target *t, struct iob_error *err)
{
	struct iobi_system sys;
	struct iobi_users u;
	iobi_system_open(&sys, "");
	iobi_system_mounts(&sys);
	if (sys.mounts_rc)
		return mounts_unknown(t, sys.mounts_rc, err);
	int rc = find_users(t, &sys, &u) ? iobi_no_memory(err) : 0;
	if (!rc && u.n)
		rc = in_use(t, &u, err);
	iobi_users_free(&u);
	iobi_system_close(&sys);
	return rc;
}

/* Whoever else has it open exclusively does not show in sysfs. */
static int check_exclusive(const struct iobi_target *t, int access_mode, struct iob_error *err)
{
	int fd = iobi_target_open(t, access_mode | O_EXCL, NULL);
	if (fd == -EBUSY)
		iobi_fail_at(err, EBUSY, "target", t->path, 0,
			     "\"%s\" is in use and is never written: something has it open "
			     "exclusively (a mount, a stacked device, another run)",
			     t->path);
	else if (fd < 0)
		iobi_fail_at(err, -fd, "target", t->path, 0, "cannot open \"%s\" for writing: %s",
			     t->path, iobi_errno_text(-fd));
	return fd;
}

/* "signatures of ext4, a partition table (dos)" */
static int found_signatures(const struct iobi_target *t, const struct iobi_signatures *found,
			    struct iob_error *err)
{
	struct iobi_text why = { 0 };
	for (size_t i = 0; i < found->n; i++) {
		const struct iob_device_signature *s = &found->list[i];
		iobi_text_add(&why, i ? ", " : "it holds ");
		iobi_text_printf(&why,
				 strcmp(s->usage, "partitions") ? "a signature of %.32s"
								: "a partition table (%.32s)",
				 s->type);
		if (*s->label)
			iobi_text_printf(&why, " named \"%.64s\"", s->label);
	}
	int rc = why.failed
			 ? iobi_no_memory(err)
			 : denied(t, err, "OVERWRITE_SIGNATURE (--overwrite-signature)", why.data);
	iobi_text_free(&why);
	return rc;
}

static int check_signatures(const struct iobi_target *t, int fd, struct iob_error *err)
{
	struct iobi_signatures found;
	int rc = iobi_signatures_find(fd, &found);
	if (rc == -ENOMEM)
		return iobi_no_memory(err);
	if (rc)
		return denied(t, err, "OVERWRITE_SIGNATURE (--overwrite-signature)",
			      "it could not be read, so what is on it is not known");
	if (found.n)
		rc = found_signatures(t, &found, err);
	iobi_signatures_free(&found);
	return rc;
}

static int guard_device(const struct iobi_target *t, struct iob_error *err)
{
	int rc = check_users(t, err);
	if (rc < 0)
		return rc;
	int fd = check_exclusive(t, O_RDONLY, err);
	if (fd < 0)
		return fd;
	if (!(t->flags & IOB_TARGET_OVERWRITE_SIGNATURE))
		rc = check_signatures(t, fd, err);
	close(fd);
	return rc;
}

int iobi_guard_write(const struct iobi_target *t, struct iob_error *err)
{
	if (t->missing)
		return 0;
	if (!(t->flags & IOB_TARGET_ALLOW_DESTROY))
		return denied(t, err, "ALLOW_DESTROY (--allow-destroy)",
			      "the workload writes, and nobody allowed that");
	return t->is_block ? guard_device(t, err) : check_users(t, err);
}

/* Nobody else can use it once it is claimed; what came on it since it was
 * planned is found now. */
int iobi_guard_claim(const struct iobi_target *t, struct iob_error *err)
{
	if (!t->is_block)
		return iobi_target_open(t, O_RDWR, err);
	int fd = check_exclusive(t, O_RDWR, err);
	if (fd < 0 || (t->flags & IOB_TARGET_OVERWRITE_SIGNATURE))
		return fd;
	int rc = check_signatures(t, fd, err);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}
