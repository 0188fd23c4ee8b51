/* SPDX-License-Identifier: MIT */
#include "target/signatures.h"

#include "base/late.h"
#include <blkid/blkid.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The functions of libblkid that are used, with its own prototypes. */
#define FUNCTIONS(X)                                                                               \
	X(blkid_do_probe)                                                                          \
	X(blkid_free_probe)                                                                        \
	X(blkid_new_probe)                                                                         \
	X(blkid_probe_enable_partitions)                                                           \
	X(blkid_probe_enable_superblocks)                                                          \
	X(blkid_probe_has_value)                                                                   \
	X(blkid_probe_lookup_value)                                                                \
	X(blkid_probe_set_device)                                                                  \
	X(blkid_probe_set_partitions_flags)                                                        \
	X(blkid_probe_set_superblocks_flags)

struct libblkid {
#define POINTER(f) __typeof__(&f) f;
	FUNCTIONS(POINTER)
};

static const char *const names[] = {
#define NAME(f) #f,
	FUNCTIONS(NAME)
};

static char *value_of(const struct libblkid *lib, blkid_probe pr, const char *name,
		      const char *or_else)
{
	const char *text = NULL;
	if (lib->blkid_probe_lookup_value(pr, name, &text, NULL) || !text)
		text = or_else;
	return strdup(text);
}

static int add_found(const struct libblkid *lib, blkid_probe pr, struct iobi_signatures *out)
{
	struct iob_device_signature *more = realloc(out->list, (out->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	out->list = more;
	int table =
		lib->blkid_probe_has_value(pr, "PTTYPE") && !lib->blkid_probe_has_value(pr, "TYPE");
	struct iob_device_signature *s = &more[out->n++];
	*s = (struct iob_device_signature){ .size = sizeof(*s) };
	s->type = value_of(lib, pr, table ? "PTTYPE" : "TYPE", "unknown");
	s->usage = table ? strdup("partitions") : value_of(lib, pr, "USAGE", "other");
	s->label = value_of(lib, pr, "LABEL", "");
	s->uuid = value_of(lib, pr, table ? "PTUUID" : "UUID", "");
	return s->type && s->usage && s->label && s->uuid ? 0 : -ENOMEM;
}

static int prepare(const struct libblkid *lib, blkid_probe pr, int fd)
{
	if (lib->blkid_probe_set_device(pr, fd, 0, 0))
		return -EIO;
	lib->blkid_probe_enable_superblocks(pr, 1);
	lib->blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
							   BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID |
							   BLKID_SUBLKS_MAGIC);
	lib->blkid_probe_enable_partitions(pr, 1);
	lib->blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC);
	return 0;
}

/* Every one, not the first or "ambivalent": who overwrites should know all. */
static int find_all(const struct libblkid *lib, blkid_probe pr, int fd, struct iobi_signatures *out)
{
	enum {
		MOST = 32
	};
	int found = 0, rc = prepare(lib, pr, fd);
	while (!rc && out->n < MOST && !(found = lib->blkid_do_probe(pr)))
		rc = add_found(lib, pr, out);
	return !rc && found < 0 ? -EIO : rc;
}

int iobi_signatures_find(int fd, struct iobi_signatures *out)
{
	struct libblkid lib;
	*out = (struct iobi_signatures){ 0 };
	void *handle = iobi_late_open("libblkid.so.1", names, &lib, sizeof(names) / sizeof(*names));
	if (!handle)
		return -ELIBACC;
	blkid_probe pr = lib.blkid_new_probe();
	int rc = pr ? find_all(&lib, pr, fd, out) : -ENOMEM;
	lib.blkid_free_probe(pr);
	dlclose(handle);
	if (rc)
		iobi_signatures_free(out);
	return rc;
}

void iobi_signatures_free(struct iobi_signatures *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free((char *)s->list[i].type);
		free((char *)s->list[i].usage);
		free((char *)s->list[i].label);
		free((char *)s->list[i].uuid);
	}
	free(s->list);
	*s = (struct iobi_signatures){ 0 };
}
