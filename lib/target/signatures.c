/* SPDX-License-Identifier: MIT */
#include "target/signatures.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *value_of(blkid_probe pr, const char *name, const char *or_else)
{
	const char *text = NULL;
	if (blkid_probe_lookup_value(pr, name, &text, NULL) || !text)
		text = or_else;
	return strdup(text);
}

static int add_found(blkid_probe pr, struct iobi_signatures *out)
{
	struct iob_device_signature *more = realloc(out->list, (out->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	out->list = more;
	int table = blkid_probe_has_value(pr, "PTTYPE") && !blkid_probe_has_value(pr, "TYPE");
	struct iob_device_signature *s = &more[out->n++];
	*s = (struct iob_device_signature){ .size = sizeof(*s) };
	s->type = value_of(pr, table ? "PTTYPE" : "TYPE", "unknown");
	s->usage = table ? strdup("partitions") : value_of(pr, "USAGE", "other");
	s->label = value_of(pr, "LABEL", "");
	s->uuid = value_of(pr, table ? "PTUUID" : "UUID", "");
	return s->type && s->usage && s->label && s->uuid ? 0 : -ENOMEM;
}

static int prepare(blkid_probe pr, int fd)
{
	if (blkid_probe_set_device(pr, fd, 0, 0))
		return -EIO;
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
						      BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID |
						      BLKID_SUBLKS_MAGIC);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC);
	return 0;
}

/* Every one, not the first or "ambivalent": who overwrites should know all. */
int iobi_signatures_find(int fd, struct iobi_signatures *out)
{
	enum {
		MOST = 32
	};
	*out = (struct iobi_signatures){ 0 };
	blkid_probe pr = blkid_new_probe();
	if (!pr)
		return -ENOMEM;
	int found = 0, rc = prepare(pr, fd);
	while (!rc && out->n < MOST && !(found = blkid_do_probe(pr)))
		rc = add_found(pr, out);
	if (!rc && found < 0)
		rc = -EIO;
	blkid_free_probe(pr);
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
