/* SPDX-License-Identifier: MIT */
#include "target/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool iobi_sysfs_dir(const char *root, dev_t dev, char *path, size_t n)
{
	return snprintf(path, n, "%s/sys/dev/block/%u:%u", root, major(dev), minor(dev)) < (int)n;
}

ssize_t iobi_sysfs_read(const char *path, char *text, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	ssize_t got = read(fd, text, n - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got;
}

bool iobi_sysfs_is_there(const char *path)
{
	return !access(path, F_OK);
}

size_t iobi_sysfs_count(const char *path)
{
	size_t n = 0;
	struct dirent *e;
	DIR *d = opendir(path);
	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first line, cut to what fits. */
static int first_line(const char *from, char *text, size_t n)
{
	while (*from == ' ' || *from == '\t')
		from++;
	size_t len = strcspn(from, "\n");
	while (len && is_blank(from[len - 1]))
		len--;
	snprintf(text, n, "%.*s", (int)len, from);
	return len ? 0 : -ENODATA;
}

static int read_below(const char *root, dev_t dev, const char *up, const char *file, char *text,
		      size_t n)
{
	char path[PATH_MAX], dir[PATH_MAX / 2], page[IOBI_SYSFS_PAGE];
	if (!iobi_sysfs_dir(root, dev, dir, sizeof(dir)) ||
	    snprintf(path, sizeof(path), "%s/%s%s", dir, up, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	ssize_t got = iobi_sysfs_read(path, page, sizeof(page));
	return got < 0 ? (int)got : first_line(page, text, n);
}

static bool is_partition(const char *root, dev_t dev)
{
	char dir[PATH_MAX / 2], path[PATH_MAX];
	if (!iobi_sysfs_dir(root, dev, dir, sizeof(dir)))
		return false;
	snprintf(path, sizeof(path), "%s/partition", dir);
	return !access(path, F_OK);
}

int iobi_sysfs_text(const char *root, dev_t dev, const char *file, char *text, size_t n)
{
	int rc = read_below(root, dev, "", file, text, n);
	if (rc == -ENOENT && is_partition(root, dev))
		rc = read_below(root, dev, "../", file, text, n);
	return rc;
}

bool iobi_sysfs_parse(const char *text, int64_t *value)
{
	bool minus = *text == '-';
	uint64_t v = 0;
	const char *p = text + minus;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v) || v > INT64_MAX)
			return false;
	bool any = p > text + minus;
	while (is_blank(*p))
		p++;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return any && !*p;
}

int iobi_sysfs_number(const char *root, dev_t dev, const char *file, int64_t *value)
{
	char text[IOBI_NAME];
	int rc = iobi_sysfs_text(root, dev, file, text, sizeof(text));
	if (rc)
		return rc;
	return iobi_sysfs_parse(text, value) ? 0 : -EINVAL;
}

bool iobi_sysfs_real(const char *root, dev_t dev, char *path)
{
	char link[PATH_MAX / 2], real[PATH_MAX], base[PATH_MAX];
	if (!iobi_sysfs_dir(root, dev, link, sizeof(link)) || !realpath(link, real))
		return false;
	if (!*root || !realpath(root, base))
		base[0] = '\0';
	size_t skip = strlen(base);
	if (strncmp(real, base, skip) != 0)
		skip = 0;
	memcpy(path, real + skip, strlen(real + skip) + 1);
	return true;
}

bool iobi_sysfs_exists(const char *root, dev_t dev)
{
	char dir[PATH_MAX];
	return iobi_sysfs_dir(root, dev, dir, sizeof(dir)) && !access(dir, F_OK);
}

bool iobi_sysfs_name(const char *root, dev_t dev, char *name)
{
	char real[PATH_MAX];
	const char *slash = iobi_sysfs_real(root, dev, real) ? strrchr(real, '/') : NULL;
	if (slash && strlen(slash + 1) < IOBI_NAME)
		strcpy(name, slash + 1);
	else
		snprintf(name, IOBI_NAME, "%u:%u", major(dev), minor(dev));
	return slash != NULL;
}

void iobi_sysfs_node(const char *name, char *path, size_t n)
{
	snprintf(path, n, "/dev/%s", name);
	for (char *p = path; *p; p++)
		if (*p == '!')
			*p = '/';
}

/* "MAJ:MIN" of DIR/NAME/dev. */
static bool read_dev(const char *dir, const char *name, dev_t *dev)
{
	char path[PATH_MAX], text[IOBI_NAME];
	unsigned maj, min;
	char end;
	if (snprintf(path, sizeof(path), "%s/%s/dev", dir, name) >= (int)sizeof(path))
		return false;
	ssize_t got = iobi_sysfs_read(path, text, sizeof(text));
	if (got <= 0 || sscanf(text, "%u:%u%c", &maj, &min, &end) < 2)
		return false;
	*dev = makedev(maj, min);
	return true;
}

bool iobi_sysfs_by_name(const char *root, const char *name, dev_t *dev)
{
	char dir[PATH_MAX];
	return !strchr(name, '/') && *name && *name != '.' &&
	       snprintf(dir, sizeof(dir), "%s/sys/class/block", root) < (int)sizeof(dir) &&
	       read_dev(dir, name, dev);
}

/* sdb before sdaa, sda2 before sda10. */
static int by_number(const void *a, const void *b)
{
	const struct iobi_dev *x = a, *y = b;
	size_t nx = strlen(x->name), ny = strlen(y->name);
	return nx != ny ? (nx > ny) - (nx < ny) : strcmp(x->name, y->name);
}

static int add_dev(struct iobi_dev_list *l, const char *name, dev_t dev)
{
	struct iobi_dev *more = realloc(l->list, (l->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->list = more;
	more[l->n].dev = dev;
	snprintf(more[l->n++].name, IOBI_NAME, "%.*s", IOBI_NAME - 1, name);
	return 0;
}

static bool has_partition_file(const char *dir, const char *name)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof(path), "%s/%s/partition", dir, name) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static int list_path(const char *path, bool partitions, struct iobi_dev_list *out)
{
	struct dirent *e;
	dev_t dev;
	int rc = 0;
	*out = (struct iobi_dev_list){ 0 };
	DIR *d = opendir(path);
	if (!d)
		return 0;
	while (!rc && (e = readdir(d)))
		if (e->d_name[0] != '.' && (!partitions || has_partition_file(path, e->d_name)) &&
		    read_dev(path, e->d_name, &dev))
			rc = add_dev(out, e->d_name, dev);
	closedir(d);
	if (rc)
		free(out->list);
	else if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), by_number);
	return rc;
}

int iobi_sysfs_list(const char *root, dev_t dev, const char *dir, struct iobi_dev_list *out)
{
	char path[PATH_MAX], own[PATH_MAX / 2];
	*out = (struct iobi_dev_list){ 0 };
	if (!iobi_sysfs_dir(root, dev, own, sizeof(own)))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", own, dir);
	return list_path(path, !*dir, out);
}

int iobi_sysfs_list_dir(const char *root, const char *dir, struct iobi_dev_list *out)
{
	char path[PATH_MAX];
	*out = (struct iobi_dev_list){ 0 };
	if (snprintf(path, sizeof(path), "%s%s", root, dir) >= (int)sizeof(path))
		return 0;
	return list_path(path, false, out);
}
