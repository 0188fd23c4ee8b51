/* SPDX-License-Identifier: MIT */
#include "device_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int loop_free_number(void)
{
	int fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int number = ioctl(fd, LOOP_CTL_GET_FREE);
	if (number < 0)
		number = -errno;
	close(fd);
	return number;
}

static int loop_configure(const char *device, const char *file, unsigned block_size)
{
	struct loop_config config = { .block_size = block_size };
	int fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int back = open(file, O_RDWR | O_CLOEXEC);
	config.fd = (unsigned)back;
	snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "%s", file);
	int error = back < 0 || ioctl(fd, LOOP_CONFIGURE, &config) ? -errno : 0;
	if (back >= 0)
		close(back);
	close(fd);
	return error;
}

/* Another process may take the free device first: then the next one. */
int dev_loop_over(const char *file, unsigned block_size, struct dev *out)
{
	int error = -EBUSY;
	for (int tries = 0; error == -EBUSY && tries < 64; tries++) {
		int number = loop_free_number();
		if (number < 0)
			return number;
		snprintf(out->path, sizeof(out->path), "/dev/loop%d", number);
		error = loop_configure(out->path, file, block_size);
	}
	if (error)
		return error;
	snprintf(out->backing, sizeof(out->backing), "%s", file);
	return dev_record("loop", out->path, file);
}

int dev_loop(uint64_t bytes, unsigned block_size, struct dev *out)
{
	char file[256];
	snprintf(file, sizeof(file), "%s/loop%u.img", dev_dir(), dev_serial());
	int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	/* Allocated: a full /tmp shows here, not as EIO in the test. */
	int error = -posix_fallocate(fd, 0, (off_t)bytes);
	close(fd);
	return error ? error : dev_loop_over(file, block_size, out);
}

/* Only where it still is our file's. */
int dev_undo_loop(const char *device, const char *backing)
{
	struct loop_info64 info;
	struct stat st;
	int fd = open(device, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int ours = !ioctl(fd, LOOP_GET_STATUS64, &info) &&
		   !strncmp((char *)info.lo_file_name, backing, LO_NAME_SIZE - 1) &&
		   (stat(backing, &st) || st.st_ino == info.lo_inode);
	int error = ours && ioctl(fd, LOOP_CLR_FD) && errno != ENXIO ? -errno : 0;
	close(fd);
	return error;
}

static int zram_set(int id, const char *name, uint64_t value)
{
	char path[128], text[32];
	snprintf(path, sizeof(path), "/sys/block/zram%d/%s", id, name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return dev_write_text(path, text);
}

static int zram_add(void)
{
	char text[32];
	static const char hot_add[] = "/sys/class/zram-control/hot_add";
	if (access(hot_add, R_OK) && system("modprobe zram 2>/dev/null"))
		return -ENODEV;
	int error = dev_read_text(hot_add, text, sizeof(text));
	return error ? error : atoi(text);
}

int dev_zram(uint64_t bytes, uint64_t mem_limit, struct dev *out)
{
	char id_text[16];
	int id = zram_add();
	if (id < 0)
		return id;
	snprintf(id_text, sizeof(id_text), "%d", id);
	snprintf(out->path, sizeof(out->path), "/dev/zram%d", id);
	out->backing[0] = 0;
	int error = dev_record("zram", id_text, "");
	if (!error)
		error = zram_set(id, "disksize", bytes);
	if (!error && mem_limit)
		error = zram_set(id, "mem_limit", mem_limit);
	return error;
}

int dev_undo_zram(const char *id, const char *unused)
{
	(void)unused;
	int error = zram_set(atoi(id), "reset", 1);
	return error ? error : dev_write_text("/sys/class/zram-control/hot_remove", id);
}

static int mkfs(const char *device)
{
	char command[512];
	snprintf(command, sizeof(command),
		 "mkfs.ext4 -q -F -m 0 -E lazy_itable_init=0,lazy_journal_init=0 %s >&2", device);
	return system(command) ? -ENOENT : 0;
}

int dev_ext4(uint64_t bytes, struct dev *out)
{
	struct dev loop;
	int error = dev_loop(bytes, 0, &loop);
	if (!error)
		error = mkfs(loop.path);
	if (error)
		return error;
	*out = loop;
	snprintf(out->path, sizeof(out->path), "%s/mnt%u", dev_dir(), dev_serial());
	if (mkdir(out->path, 0700) || mount(loop.path, out->path, "ext4", 0, NULL))
		return -errno;
	return dev_record("mount", out->path, "");
}

int dev_undo_mount(const char *dir, const char *unused)
{
	(void)unused;
	return umount2(dir, 0) && errno != EINVAL && errno != ENOENT ? -errno : 0;
}

static uint64_t free_bytes(int fd)
{
	struct statvfs fs;
	return fstatvfs(fd, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* In ever smaller pieces, down to the last block. */
int dev_fill(const char *dir, uint64_t leave)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/fill", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	off_t end = 0;
	for (uint64_t piece = UINT64_C(1) << 30; piece >= 1024;) {
		uint64_t left = free_bytes(fd);
		if (left < leave + piece || fallocate(fd, 0, end, (off_t)piece))
			piece /= 2;
		else
			end += (off_t)piece;
	}
	close(fd);
	return 0;
}
