/* SPDX-License-Identifier: MIT */
#include "fake.h"
#include "test.h"

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void make_dirs(const char *path)
{
	char copy[1024];
	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = copy + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(copy, 0700);
	}
}

void fake_file(struct fake *f, const char *path, const char *text)
{
	char full[1024];
	snprintf(full, sizeof(full), "%s%s", f->root, path);
	make_dirs(full);
	FILE *file = fopen(full, "w");
	ck_assert_msg(file != NULL, "cannot make %s", full);
	fputs(text, file);
	fclose(file);
}

void fake_link(struct fake *f, const char *path, const char *to)
{
	char full[1024], target[1024];
	snprintf(full, sizeof(full), "%s%s", f->root, path);
	snprintf(target, sizeof(target), "%s%s", f->root, to);
	make_dirs(full);
	ck_assert_msg(!symlink(target, full), "cannot link %s", full);
}

void fake_begin(struct fake *f)
{
	*f = (struct fake){ .next = 1 };
	snprintf(f->root, sizeof(f->root), "/tmp/iobench-fake.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->root));
	fake_file(f, "/proc/self/mountinfo", "");
	fake_file(f, "/proc/swaps", "Filename Type Size Used Priority\n");
	fake_file(f, "/sys/block/.keep", "");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void fake_end(struct fake *f)
{
	nftw(f->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The links by which a device is found. */
static void publish(struct fake *f, const char *name, const char *dir, int whole)
{
	char path[1024], number[32];
	snprintf(number, sizeof(number), "259:%u\n", f->next);
	snprintf(path, sizeof(path), "%s/dev", dir);
	fake_file(f, path, number);
	snprintf(path, sizeof(path), "/sys/dev/block/259:%u", f->next++);
	fake_link(f, path, dir);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	fake_link(f, path, dir);
	snprintf(path, sizeof(path), "/sys/block/%s", name);
	if (whole)
		fake_link(f, path, dir);
}

void fake_disk(struct fake *f, const char *name, const char *where)
{
	char dir[1024];
	snprintf(dir, sizeof(dir), "/sys/devices/%s/%s", where ? where : "virtual/block", name);
	publish(f, name, dir, 1);
	fake_set(f, name, "size", "3907029168\n");
	fake_set(f, name, "stat", "0 0 0 0 0 0 0 0 0 0 0\n");
	fake_set(f, name, "slaves/.keep", "");
	fake_set(f, name, "holders/.keep", "");
}

static void real_dir(struct fake *f, const char *name, char *dir)
{
	char link[1024];
	snprintf(link, sizeof(link), "%s/sys/class/block/%s", f->root, name);
	ck_assert_msg(realpath(link, dir) != NULL, "there is no %s", name);
}

void fake_partition(struct fake *f, const char *disk, const char *name, int number)
{
	char dir[4096], path[4400], text[16];
	real_dir(f, disk, dir);
	snprintf(path, sizeof(path), "%s/%s", dir + strlen(f->root), name);
	publish(f, name, path, 0);
	snprintf(text, sizeof(text), "%d\n", number);
	fake_set(f, name, "partition", text);
	fake_set(f, name, "size", "1048576\n");
	snprintf(text, sizeof(text), "%d\n", 2048 + (number - 1) * 1048576);
	fake_set(f, name, "start", text);
	fake_set(f, name, "stat", "0 0 0 0 0 0 0 0 0 0 0\n");
}

void fake_stack(struct fake *f, const char *upper, const char *lower)
{
	char dir[4096], path[4400];
	real_dir(f, lower, dir);
	snprintf(path, sizeof(path), "/sys/class/block/%s/slaves/%s", upper, lower);
	fake_link(f, path, dir + strlen(f->root));
	real_dir(f, upper, dir);
	snprintf(path, sizeof(path), "/sys/class/block/%s/holders/%s", lower, upper);
	fake_link(f, path, dir + strlen(f->root));
}

void fake_set(struct fake *f, const char *name, const char *file, const char *text)
{
	char path[1024];
	snprintf(path, sizeof(path), "/sys/class/block/%s/%s", name, file);
	fake_file(f, path, text);
}

void fake_mount(struct fake *f, const char *dev, const char *at, const char *type,
		const char *source)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", f->root);
	FILE *file = fopen(path, "a");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%u 1 %s / %s rw,relatime shared:1 - %s %s rw,errors=remount-ro\n",
		100 + f->next++, dev, at, type, source);
	fclose(file);
}

const char *fake_number(struct fake *f, const char *name, char *buf, size_t n)
{
	dev_t dev = fake_dev(f, name);
	snprintf(buf, n, "%u:%u", major(dev), minor(dev));
	return buf;
}

dev_t fake_dev(struct fake *f, const char *name)
{
	char path[1024];
	unsigned maj = 0, min = 0;
	snprintf(path, sizeof(path), "%s/sys/class/block/%s/dev", f->root, name);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "there is no %s", name);
	ck_assert_int_eq(fscanf(file, "%u:%u", &maj, &min), 2);
	fclose(file);
	return makedev(maj, min);
}
