/* SPDX-License-Identifier: MIT */
#include "target/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row: where it is in the device's directory in sysfs, and by what to
 * multiply that; rows without a file are set by other means. */
struct row {
	struct iob_fact fact;
	const char *file;
	int64_t scale;
};

#define ROW(type_, name_, file_, scale_, help_)                                                    \
	{                                                                                          \
		{ sizeof(struct iob_fact), IOB_FACT_##type_, name_, help_, NULL, 0 }, file_,       \
			scale_                                                                     \
	}
#define NUMBER(name, file, help) ROW(NUMBER, name, file, 1, help)
#define BYTES(name, file, scale, help) ROW(BYTES, name, file, scale, help)
#define BOOL(name, file, help) ROW(BOOL, name, file, 1, help)
#define TEXT(name, file, help) ROW(TEXT, name, file, 1, help)

static const struct row table[] = {
	BYTES("size", "size", 512, "how much it holds"),
	BYTES("allocated", NULL, 1, "of a file: what it takes on its file system"),
	BYTES("logical_block", "queue/logical_block_size", 1, "the smallest I/O it takes"),
	BYTES("physical_block", "queue/physical_block_size", 1,
	      "the smallest it writes without reading first"),
	BYTES("direct_align", NULL, 1,
	      "offsets and lengths of O_DIRECT must be multiples of it (STATX_DIOALIGN)"),
	BYTES("direct_memory_align", NULL, 1, "addresses of O_DIRECT buffers must be"),
	BYTES("minimum_io", "queue/minimum_io_size", 1, "the smallest I/O it prefers"),
	BYTES("optimal_io", "queue/optimal_io_size", 1,
	      "the I/O it likes best, as the stripe of an array; 0: it does not say"),
	BYTES("max_io", "queue/max_sectors_kb", 1024, "longer I/O is split"),
	BYTES("max_hw_io", "queue/max_hw_sectors_kb", 1024, "what max_io may be set to"),
	BYTES("read_ahead", "queue/read_ahead_kb", 1024, "of buffered reads"),
	BOOL("readable", NULL,
	     "whether it can be opened; else signatures and exclusive users are not known"),
	BOOL("read_only", "ro", "it takes no writes"),
	BOOL("removable", "removable", "its medium can be taken out"),
	BOOL("rotational", "queue/rotational", "a disk that turns"),
	TEXT("write_cache", "queue/write_cache",
	     "\"write back\": data is safe only after a flush; \"write through\": at once"),
	BOOL("fua", "queue/fua", "it can write past its cache"),
	BYTES("discard_granularity", "queue/discard_granularity", 1, "0: it does not trim"),
	BYTES("discard_max", "queue/discard_max_bytes", 1, "longer trims are split; 0: none"),
	TEXT("zoned", "queue/zoned", "\"none\", or how zones must be written"),
	TEXT("scheduler", "queue/scheduler", "what orders its requests"),
	NUMBER("nr_requests", "queue/nr_requests", "requests that a hardware queue holds"),
	NUMBER("queue_depth", "device/queue_depth", "requests that a SCSI device takes at once"),
	NUMBER("hw_queues", NULL, "queues to the hardware"),
	BOOL("iostats", "queue/iostats", "whether it counts what it does"),
	BOOL("polls", "queue/io_poll", "whether completions can be polled for"),
	TEXT("vendor", "device/vendor", "who made it"),
	TEXT("model", "device/model", "what it is sold as"),
	TEXT("serial", "device/serial", "its serial number"),
	TEXT("firmware", NULL, "the version of its firmware"),
	TEXT("wwid", "device/wwid", "its name in the world"),
	NUMBER("numa_node", NULL, "the memory node that it is near to"),
	TEXT("transport", NULL,
	     "how it is attached: nvme, sata, sas, fc, iscsi, virtio, usb, mmc, xen, hyperv"),
	TEXT("link_speed", NULL, "what that is running at, as the kernel puts it"),
	NUMBER("link_lanes", NULL, "PCIe lanes that are in use"),
	BYTES("link_limit", NULL, 1, "the most payload a second that such a link can carry"),
	TEXT("disk", NULL, "of a partition: what it is on"),
	NUMBER("partition", "partition", "its number there"),
	BYTES("start", "start", 512, "where it begins there"),
	TEXT("md_level", "md/level", "of an md array: raid0, raid1, raid5, raid6, raid10, linear"),
	NUMBER("md_disks", "md/raid_disks", "its members, spares not counted"),
	BYTES("md_chunk", "md/chunk_size", 1, "what lies on one member before the next"),
	TEXT("md_state", "md/array_state", "clean, active, ..."),
	NUMBER("md_degraded", "md/degraded", "members that are missing"),
	TEXT("dm_name", "dm/name", "of a device mapper volume: its name below /dev/mapper"),
	TEXT("dm_uuid", "dm/uuid", "who made it, and its number there"),
	TEXT("logical_volume", NULL, "of LVM: group/volume"),
	TEXT("backing_file", "loop/backing_file", "of a loop device: what it is on"),
	BYTES("backing_offset", "loop/offset", 1, "where it begins there"),
	BOOL("backing_direct", "loop/dio", "whether it passes the page cache by"),
	TEXT("compression", "comp_algorithm", "of zram"),
	TEXT("cache_mode", "bcache/cache_mode", "of bcache"),
	TEXT("filesystem", NULL, "of a file: the type of the file system it is on"),
	TEXT("mount_point", NULL, "where that is mounted"),
	TEXT("mount_options", NULL, "how"),
	TEXT("mount_source", NULL, "from what"),
};

const struct iob_fact *iob_fact_info(size_t i)
{
	return i < IOBI_LEN(table) ? &table[i].fact : NULL;
}

/* ---- the list ---- */

static size_t place_of(const char *name)
{
	size_t i = 0;
	while (i < IOBI_LEN(table) && strcmp(table[i].fact.name, name))
		i++;
	return i;
}

const struct iob_fact *iobi_facts_find(const struct iobi_facts *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->list[i].name, name))
			return &f->list[i];
	return NULL;
}

/* In the order of the table. */
static void insert(struct iobi_facts *f, const char *name, int64_t number, const char *text)
{
	size_t row = place_of(name), at = 0;
	if (row == IOBI_LEN(table) || iobi_facts_find(f, name))
		return;
	struct iob_fact *more = realloc(f->list, (f->n + 1) * sizeof(*more));
	char *copy = strdup(text);
	if (more)
		f->list = more;
	if (!more || !copy) {
		free(copy);
		f->failed = true;
		return;
	}
	while (at < f->n && place_of(more[at].name) < row)
		at++;
	memmove(more + at + 1, more + at, (f->n++ - at) * sizeof(*more));
	more[at] = table[row].fact;
	more[at].number = number;
	more[at].text = copy;
}

void iobi_facts_number(struct iobi_facts *f, const char *name, int64_t value)
{
	char text[32];
	size_t row = place_of(name);
	if (row < IOBI_LEN(table) && table[row].fact.type == IOB_FACT_BOOL)
		snprintf(text, sizeof(text), "%s", value ? "true" : "false");
	else
		snprintf(text, sizeof(text), "%" PRId64, value);
	insert(f, name, value, text);
}

void iobi_facts_text(struct iobi_facts *f, const char *name, const char *text)
{
	if (text && *text)
		insert(f, name, 0, text);
}

void iobi_facts_free(struct iobi_facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		free((char *)f->list[i].text);
	free(f->list);
	*f = (struct iobi_facts){ 0 };
}

/* ---- what sysfs says ---- */

/* "none [mq-deadline] kyber": the one that is chosen. */
static void chosen(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = '\0';
	memmove(text, open + 1, strlen(open + 1) + 1);
}

static bool valid(const struct row *row, int64_t value)
{
	if (row->fact.type == IOB_FACT_BOOL)
		return value == 0 || value == 1;
	return value >= 0 && value <= INT64_MAX / row->scale;
}

static void read_row(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev,
		     const struct row *row)
{
	char text[512];
	int64_t value;
	if (!row->file || iobi_sysfs_text(sys->root, dev, row->file, text, sizeof(text)))
		return;
	if (row->fact.type == IOB_FACT_TEXT) {
		chosen(text);
		iobi_facts_text(f, row->fact.name, text);
	} else if (iobi_sysfs_parse(text, &value) && valid(row, value)) {
		iobi_facts_number(f, row->fact.name, value * row->scale);
	}
}

static void first_of(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev,
		     const char *name, const char *const *files)
{
	char text[256];
	for (; *files; files++)
		if (!iobi_sysfs_text(sys->root, dev, *files, text, sizeof(text)))
			iobi_facts_text(f, name, text);
}

/* SCSI has its serial number in a page of the device's own: 4 bytes of head,
 * the length in the last two, then the text. */
static void scsi_serial(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev)
{
	char dir[PATH_MAX / 2], path[PATH_MAX], page[IOBI_SYSFS_PAGE], text[256];
	if (!iobi_sysfs_dir(sys->root, dev, dir, sizeof(dir)))
		return;
	snprintf(path, sizeof(path), "%s/device/vpd_pg80", dir);
	ssize_t n = iobi_sysfs_read(path, page, sizeof(page));
	size_t len = n > 4 ? (size_t)(unsigned char)page[2] << 8 | (unsigned char)page[3] : 0;
	if (len > (size_t)(n > 4 ? n - 4 : 0) || len >= sizeof(text))
		return;
	memcpy(text, page + 4, len);
	text[len] = '\0';
	const char *from = text + strspn(text, " ");
	size_t keep = strlen(from);
	while (keep && from[keep - 1] == ' ')
		keep--;
	((char *)from)[keep] = '\0';
	iobi_facts_text(f, "serial", from);
}

static void hw_queues(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev)
{
	char path[PATH_MAX], dir[PATH_MAX / 2];
	if (!iobi_sysfs_dir(sys->root, dev, dir, sizeof(dir)))
		return;
	snprintf(path, sizeof(path), "%s/mq", dir);
	size_t n = iobi_sysfs_count(path);
	if (n)
		iobi_facts_number(f, "hw_queues", (int64_t)n);
}

/* "vg-my--lv" is vg/my-lv: a "-" that is part of a name is doubled. */
static void logical_volume(struct iobi_facts *f)
{
	const struct iob_fact *uuid = iobi_facts_find(f, "dm_uuid");
	const struct iob_fact *name = iobi_facts_find(f, "dm_name");
	char text[256];
	size_t n = 0;
	if (!uuid || !name || strncmp(uuid->text, "LVM-", 4))
		return;
	for (const char *p = name->text; *p && n + 1 < sizeof(text); p++) {
		text[n++] = p[0] == '-' && p[1] != '-' ? '/' : p[0];
		p += p[0] == '-' && p[1] == '-';
	}
	text[n] = '\0';
	iobi_facts_text(f, "logical_volume", text);
}

/* The directory of a partition lies in that of its disk. */
static void disk_of(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev)
{
	char real[PATH_MAX], node[IOBI_NAME + 8];
	if (!iobi_facts_find(f, "partition") || !iobi_sysfs_real(sys->root, dev, real))
		return;
	*strrchr(real, '/') = '\0';
	const char *slash = strrchr(real, '/');
	if (!slash)
		return;
	iobi_sysfs_node(slash + 1, node, sizeof(node));
	iobi_facts_text(f, "disk", node);
}

int iobi_facts_read(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev)
{
	static const char *const firmware[] = { "device/firmware_rev", "device/rev", NULL };
	static const char *const serial[] = { "serial", NULL };
	static const char *const wwid[] = { "wwid", NULL };
	for (size_t i = 0; i < IOBI_LEN(table); i++)
		read_row(f, sys, dev, &table[i]);
	first_of(f, sys, dev, "firmware", firmware);
	first_of(f, sys, dev, "serial", serial);
	first_of(f, sys, dev, "wwid", wwid);
	scsi_serial(f, sys, dev);
	hw_queues(f, sys, dev);
	logical_volume(f);
	disk_of(f, sys, dev);
	iobi_facts_transport(f, sys, dev);
	return f->failed ? -ENOMEM : 0;
}

/* ---- what it is ---- */

static bool has(const struct iobi_system *sys, dev_t dev, const char *entry)
{
	char path[PATH_MAX], dir[PATH_MAX / 2];
	if (!iobi_sysfs_dir(sys->root, dev, dir, sizeof(dir)))
		return false;
	snprintf(path, sizeof(path), "%s/%s", dir, entry);
	return iobi_sysfs_is_there(path);
}

void iobi_device_kind(const struct iobi_system *sys, dev_t dev, char *kind, size_t n)
{
	static const char *const by_entry[][2] = {
		{ "partition", "partition" }, { "md", "md" }, { "dm", "dm" }, { "bcache", "bcache" }
	};
	static const char *const by_name[] = { "loop", "zram",   "ram", "nbd", "rbd", "pmem",
					       "drbd", "bcache", "md",  "dm-", "sr" };
	char name[IOBI_NAME];
	for (size_t i = 0; i < IOBI_LEN(by_entry); i++)
		if (has(sys, dev, by_entry[i][0])) {
			snprintf(kind, n, "%s", by_entry[i][1]);
			return;
		}
	iobi_sysfs_name(sys->root, dev, name);
	snprintf(kind, n, "disk");
	for (size_t i = 0; i < IOBI_LEN(by_name); i++) {
		size_t len = strlen(by_name[i]);
		if (!strncmp(name, by_name[i], len) && name[len] >= '0' && name[len] <= '9')
			snprintf(kind, n, "%.*s", (int)strcspn(by_name[i], "-"), by_name[i]);
	}
}

static const char *text_of(const struct iobi_facts *f, const char *name)
{
	const struct iob_fact *fact = iobi_facts_find(f, name);
	return fact ? fact->text : "";
}

static void about_dm(const struct iobi_facts *f, struct iobi_text *out)
{
	const char *uuid = text_of(f, "dm_uuid"), *lv = text_of(f, "logical_volume");
	if (*lv)
		iobi_text_printf(out, "LVM %s", lv);
	else if (!strncmp(uuid, "mpath-", 6))
		iobi_text_printf(out, "multipath %s", text_of(f, "dm_name"));
	else if (!strncmp(uuid, "CRYPT-", 6))
		iobi_text_printf(out, "encrypted %s", text_of(f, "dm_name"));
	else
		iobi_text_printf(out, "%s", text_of(f, "dm_name"));
}

static void about_disk(const struct iobi_facts *f, struct iobi_text *out)
{
	const char *words[] = { text_of(f, "vendor"), text_of(f, "model"),
				text_of(f, "transport") };
	int64_t id;
	for (size_t i = 0; i < IOBI_LEN(words); i++)
		/* virtio's vendor is a number, ATA's is "ATA" */
		if (*words[i] && strncmp(words[i], "0x", 2) && strcmp(words[i], "ATA") &&
		    !iobi_sysfs_parse(words[i], &id))
			iobi_text_printf(out, "%s%s", out->len ? " " : "", words[i]);
}

static void add_about(const struct iobi_facts *f, const char *kind, struct iobi_text *out)
{
	if (!strcmp(kind, "md"))
		iobi_text_printf(out, "%s, %s disks", text_of(f, "md_level"),
				 text_of(f, "md_disks"));
	else if (!strcmp(kind, "dm"))
		about_dm(f, out);
	else if (!strcmp(kind, "loop"))
		iobi_text_printf(out, "on %s", text_of(f, "backing_file"));
	else if (!strcmp(kind, "partition"))
		iobi_text_printf(out, "%s of %s", text_of(f, "partition"), text_of(f, "disk"));
	else if (!strcmp(kind, "zram"))
		iobi_text_printf(out, "memory, %s", text_of(f, "compression"));
	else
		about_disk(f, out);
}

int iobi_device_about(const struct iobi_system *sys, dev_t dev, struct iobi_text *out)
{
	struct iobi_facts f = { 0 };
	char kind[IOBI_NAME];
	int rc = iobi_facts_read(&f, sys, dev);
	iobi_device_kind(sys, dev, kind, sizeof(kind));
	if (!rc)
		add_about(&f, kind, out);
	iobi_facts_free(&f);
	return rc ? rc : out->failed ? -ENOMEM : 0;
}
