/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static int fail(const struct iobi_target *t, int code, struct iob_error *err, const char *what)
{
	return iobi_fail_at(err, code, "target", t->path, 0, "\"%s\": %s", t->path, what);
}

/* What is measured is the read, not that the file remembers it: the time of last
 * access stays as it was. That is for the file's owner and for root to ask. */
static int open_quietly(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOATIME);
	return fd < 0 && errno == EPERM ? open(path, flags | O_CLOEXEC) : fd;
}

int iobi_target_open(const struct iobi_target *t, int flags, struct iob_error *err)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", t->fd);
	int fd = open_quietly(link, flags);
	if (fd >= 0)
		return fd;
	int code = errno;
	if (code == EINVAL && (flags & O_DIRECT))
		return iobi_fail_at(err, code, "direct", t->path, 0,
				    "\"%s\": its file system has no O_DIRECT; "
				    "set direct=false, or use another file system",
				    t->path);
	if (code == EMFILE)
		return iobi_fail_at(err, code, "workers", t->path, 0,
				    "no file descriptors left at \"%s\": each worker opens each "
				    "target; raise `ulimit -n` or lower workers",
				    t->path);
	return iobi_fail_at(err, code, "target", t->path, 0, "cannot open \"%s\" for %s: %s",
			    t->path, (flags & O_ACCMODE) == O_RDONLY ? "reading" : "writing",
			    iobi_errno_text(code));
}

/* Offsets and lengths that O_DIRECT takes: statx knows since Linux 6.1; before
 * that, or where a file system does not tell, the logical block. */
static void read_alignment(struct iobi_target *t, int fd)
{
	t->direct_align = t->logical_block;
#ifdef STATX_DIOALIGN
	struct statx sx;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &sx) && (sx.stx_mask & STATX_DIOALIGN))
		t->direct_align = sx.stx_dio_offset_align;
#endif
}

static void read_logical_block(struct iobi_target *t)
{
	int64_t block;
	if (!iobi_target_sysfs(t, "queue/logical_block_size", &block) && block > 0)
		t->logical_block = (uint32_t)block;
}

/* Files that are the kernel's own knobs and views: to write one changes the machine,
 * to read one may as well, and nothing of it is storage. NULL: a file of another kind. */
static const char *kernel_files(const struct statfs *fs)
{
	static const struct {
		uint64_t magic;
		const char *name;
	} kinds[] = {
		{ PROC_SUPER_MAGIC, "proc" },       { SYSFS_MAGIC, "sysfs" },
		{ DEBUGFS_MAGIC, "debugfs" },       { TRACEFS_MAGIC, "tracefs" },
		{ SECURITYFS_MAGIC, "securityfs" }, { SELINUX_MAGIC, "selinuxfs" },
		{ SMACK_MAGIC, "smackfs" },         { CGROUP_SUPER_MAGIC, "cgroup" },
		{ CGROUP2_SUPER_MAGIC, "cgroup2" }, { BPF_FS_MAGIC, "bpf" },
		{ EFIVARFS_MAGIC, "efivarfs" },     { PSTOREFS_MAGIC, "pstore" },
		{ BINFMTFS_MAGIC, "binfmt_misc" },  { NSFS_MAGIC, "nsfs" },
		{ 0x62656570, "configfs" }, /* not in magic.h */
	};
	for (size_t i = 0; i < IOBI_LEN(kinds); i++)
		if (kinds[i].magic == (uint64_t)(uint32_t)fs->f_type)
			return kinds[i].name;
	return NULL;
}

static int not_storage(const struct iobi_target *t, const struct statfs *fs, struct iob_error *err)
{
	return iobi_fail_at(err, ENOTBLK, "target", t->path, 0,
			    "\"%s\" is a file of the kernel's own (%s), which is no storage",
			    t->path, kernel_files(fs));
}

/* There a name that is mistyped would become a file in memory, and pass for a fast device. */
static bool among_devices(const struct stat *dir)
{
	struct stat dev, root;
	return !stat("/dev", &dev) && !stat("/", &root) && dev.st_dev != root.st_dev &&
	       dir->st_dev == dev.st_dev;
}

/* What a file made in that directory will be like, asked of one without a name,
 * which leaves no trace. */
static int look_at_parent(struct iobi_target *t, struct iob_error *err)
{
	struct stat st;
	struct statfs fs;
	char *copy = strdup(t->path);
	if (!copy)
		return iobi_no_memory(err);
	const char *dir = dirname(copy);
	int rc = 0;
	if (stat(dir, &st) || statfs(dir, &fs)) {
		rc = fail(t, errno, err, "the directory for it cannot be used");
	} else if (kernel_files(&fs)) {
		rc = not_storage(t, &fs, err);
	} else if (among_devices(&st)) {
		rc = fail(t, ENOENT, err,
			  "there is no such device, and no file is made among them");
	} else {
		t->dev = st.st_dev;
		read_logical_block(t);
		t->direct_align = t->logical_block;
		int fd = open(dir, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
		if (fd >= 0)
			read_alignment(t, fd);
		else if (errno == EINVAL)
			t->direct_align = 0;
		if (fd >= 0)
			close(fd);
	}
	free(copy);
	return rc;
}

static int open_missing(struct iobi_target *t, int code, struct iob_error *err)
{
	if (code != ENOENT)
		return iobi_fail_at(err, code, "target", t->path, 0, "cannot open \"%s\": %s%s",
				    t->path, iobi_errno_text(code),
				    code == EMFILE ? "; raise `ulimit -n`, or take fewer targets"
						   : "");
	struct stat st;
	if (!lstat(t->path, &st))
		return fail(t, ENOENT, err, "is a link to what is not there");
	if (!(t->flags & IOB_TARGET_CREATE))
		return fail(t, ENOENT, err, "no such file or device (CREATE makes a file)");
	t->missing = true;
	return look_at_parent(t, err);
}

static int init_device(struct iobi_target *t, struct iob_error *err)
{
	int block, fd = iobi_target_open(t, O_RDONLY | O_NONBLOCK, err);
	if (fd < 0)
		return fd;
	int rc = 0;
	if (ioctl(fd, BLKGETSIZE64, &t->size) || ioctl(fd, BLKSSZGET, &block))
		rc = fail(t, errno, err, "the device does not tell its size");
	else
		t->logical_block = (uint32_t)block;
	close(fd);
	if (!rc && !t->size)
		rc = fail(t, ENOMEDIUM, err, "the device has a size of 0 bytes");
	return rc;
}

static void init_file(struct iobi_target *t, const struct stat *st)
{
	t->dev = st->st_dev;
	t->size = (uint64_t)st->st_size;
	read_logical_block(t);
}

static int look(struct iobi_target *t, struct iob_error *err)
{
	struct stat st;
	struct statfs fs;
	if (fstat(t->fd, &st) || fstatfs(t->fd, &fs))
		return fail(t, errno, err, "cannot be looked at");
	t->ino = st.st_ino;
	t->rdev = st.st_rdev;
	t->is_block = S_ISBLK(st.st_mode);
	if (S_ISDIR(st.st_mode))
		return fail(t, EISDIR, err, "is a directory; name a block device or a file in it");
	if (!t->is_block && !S_ISREG(st.st_mode))
		return fail(t, ENOTBLK, err, "is neither a block device nor a regular file");
	if (!t->is_block && kernel_files(&fs))
		return not_storage(t, &fs, err);
	if (!t->is_block)
		init_file(t, &st);
	int rc = t->is_block ? init_device(t, err) : 0;
	if (!rc)
		read_alignment(t, t->fd);
	return rc;
}

int iobi_target_init(struct iobi_target *t, const char *path, unsigned flags, struct iob_error *err)
{
	*t = (struct iobi_target){ .fd = -1, .flags = flags, .logical_block = 512 };
	t->path = strdup(path);
	if (!t->path)
		return iobi_no_memory(err);
	t->fd = open(path, O_PATH | O_CLOEXEC);
	int rc = t->fd < 0 ? open_missing(t, errno, err) : look(t, err);
	if (rc < 0)
		iobi_target_free(t);
	return rc;
}

void iobi_target_free(struct iobi_target *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	*t = (struct iobi_target){ .fd = -1 };
}

bool iobi_target_same(const struct iobi_target *a, const struct iobi_target *b)
{
	if (a->missing || b->missing)
		return a->missing && b->missing && !strcmp(a->path, b->path);
	if (a->is_block != b->is_block)
		return false;
	return a->is_block ? a->rdev == b->rdev : a->dev == b->dev && a->ino == b->ino;
}

static int read_number(const char *path, int64_t *value)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	return sscanf(text, "%" SCNd64, value) == 1 ? 0 : -EINVAL;
}

int iobi_target_sysfs(const struct iobi_target *t, const char *file, int64_t *value)
{
	dev_t dev = t->is_block ? t->rdev : t->dev;
	char path[128];
	/* A partition has its queue one level up. */
	for (const char *up = ""; up; up = *up ? NULL : "../") {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s%s", major(dev), minor(dev),
			 up, file);
		if (!read_number(path, value))
			return 0;
	}
	return -ENOENT;
}
