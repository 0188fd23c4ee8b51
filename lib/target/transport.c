/* SPDX-License-Identifier: MIT */
/* How a device is attached, read from the place of its directory in /sys/devices. */
#include "target/facts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path that is gone up, part by part. */
struct way {
	const char *root;
	char path[PATH_MAX]; /* behind the root */
};

static bool up(struct way *w)
{
	char *slash = strrchr(w->path, '/');
	if (!slash || slash == w->path)
		return false;
	*slash = '\0';
	return true;
}

static const char *last_part(const struct way *w)
{
	const char *slash = strrchr(w->path, '/');
	return slash ? slash + 1 : w->path;
}

/* The first line of a file, below the root. */
static bool read_line(const char *root, const char *dir, const char *file, char *text, size_t n)
{
	char path[2 * PATH_MAX], page[IOBI_SYSFS_PAGE];
	if (snprintf(path, sizeof(path), "%s%s/%s", root, dir, file) >= (int)sizeof(path) ||
	    iobi_sysfs_read(path, page, sizeof(page)) <= 0)
		return false;
	snprintf(text, n, "%.*s", (int)strcspn(page, "\n"), page);
	return *text != '\0';
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "16.0 GT/s PCIe", "6.0 Gbps", "12.0 Gbit": the number, in millions. */
static int64_t leading_millions(const char *text)
{
	int64_t v = 0, decimals = -1;
	for (; is_digit(*text) || (*text == '.' && decimals < 0); text++) {
		if (*text == '.') {
			decimals = 0;
		} else if (decimals < 6 && v < INT64_C(1000000000000)) {
			v = v * 10 + (*text - '0');
			decimals += decimals >= 0;
		}
	}
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 6; decimals++)
		v *= 10;
	return v;
}

/* ---- the links ---- */

/* Of the line's bits 8 in 10 are payload up to 5 GT/s, 128 in 130 above. */
static void pcie_link(struct iobi_facts *f, const struct way *at)
{
	char speed[64], width[16];
	int64_t lanes;
	if (!read_line(at->root, at->path, "current_link_speed", speed, sizeof(speed)) ||
	    !is_digit(*speed))
		return;
	iobi_facts_text(f, "link_speed", speed);
	if (!read_line(at->root, at->path, "current_link_width", width, sizeof(width)) ||
	    !iobi_sysfs_parse(width, &lanes) || lanes < 1 || lanes > 64)
		return;
	iobi_facts_number(f, "link_lanes", lanes);
	int64_t rate = leading_millions(speed);
	int64_t payload = rate <= 5000000 ? rate / 10 : rate / 8 * 128 / 130;
	iobi_facts_number(f, "link_limit", payload * 1000 * lanes);
}

/* 8 bits in 10 are payload. */
static void serial_link(struct iobi_facts *f, const char *speed)
{
	iobi_facts_text(f, "link_speed", speed);
	if (is_digit(*speed))
		iobi_facts_number(f, "link_limit", leading_millions(speed) * 100);
}

/* .../ata1/host0/...: the link is another child of ata1. */
static void ata_link(struct iobi_facts *f, const struct way *at)
{
	char dir[PATH_MAX], speed[64];
	const char *number = last_part(at) + 3;
	snprintf(dir, sizeof(dir), "/sys/class/ata_link/link%.16s", number);
	if (read_line(at->root, dir, "sata_spd", speed, sizeof(speed)) && is_digit(*speed))
		serial_link(f, speed);
}

/* .../host5/rport-...: "16 Gbit" carries 1600 MB/s, "32 Gbit" 3200. */
static void fc_link(struct iobi_facts *f, struct way at)
{
	char dir[PATH_MAX], speed[64];
	while (!starts(last_part(&at), "host"))
		if (!up(&at))
			return;
	snprintf(dir, sizeof(dir), "/sys/class/fc_host/%.32s", last_part(&at));
	if (!read_line(at.root, dir, "speed", speed, sizeof(speed)) || !is_digit(*speed))
		return;
	iobi_facts_text(f, "link_speed", speed);
	iobi_facts_number(f, "link_limit", leading_millions(speed) * 100);
}

/* .../port-0:1/end_device-0:1/...: the phys of the port, 8 in 10 bits as well. */
static void sas_link(struct iobi_facts *f, struct way at)
{
	char dir[2 * PATH_MAX], speed[64];
	struct dirent *e;
	while (!starts(last_part(&at), "port-"))
		if (!up(&at))
			return;
	snprintf(dir, sizeof(dir), "%s%s", at.root, at.path);
	DIR *d = opendir(dir);
	while (d && (e = readdir(d))) {
		snprintf(dir, sizeof(dir), "/sys/class/sas_phy/%.64s", e->d_name);
		if (starts(e->d_name, "phy-") &&
		    read_line(at.root, dir, "negotiated_linkrate", speed, sizeof(speed)) &&
		    is_digit(*speed))
			serial_link(f, speed);
	}
	if (d)
		closedir(d);
}

/* In Mb/s. */
static void usb_link(struct iobi_facts *f, struct way at)
{
	char speed[32], text[48];
	do {
		if (!read_line(at.root, at.path, "speed", speed, sizeof(speed)) ||
		    !is_digit(*speed))
			continue;
		snprintf(text, sizeof(text), "%s Mb/s", speed);
		iobi_facts_text(f, "link_speed", text);
		return;
	} while (up(&at));
}

/* ---- what tells it ---- */

static bool is_nvme(const char *part)
{
	return starts(part, "nvme") && is_digit(part[4]) && !strchr(part + 4, 'n');
}

static void nvme(struct iobi_facts *f, const struct way *at)
{
	char text[32], name[48];
	if (!read_line(at->root, at->path, "transport", text, sizeof(text)) ||
	    !strcmp(text, "pcie")) {
		iobi_facts_text(f, "transport", "nvme");
		return;
	}
	snprintf(name, sizeof(name), "nvme/%s", text);
	iobi_facts_text(f, "transport", name);
}

static void look_up_from(struct iobi_facts *f, struct way at);

/* A namespace with several paths hangs at none of its controllers: the first
 * stands for them. */
static void nvme_subsystem(struct iobi_facts *f, const struct way *at)
{
	char dir[2 * PATH_MAX], base[PATH_MAX] = "";
	struct way controller = { .root = at->root };
	struct dirent *e;
	snprintf(dir, sizeof(dir), "%s%s", at->root, at->path);
	if (*at->root && !realpath(at->root, base))
		return;
	DIR *d = opendir(dir);
	while (d && (e = readdir(d))) {
		char link[2 * PATH_MAX + 256], real[PATH_MAX];
		snprintf(link, sizeof(link), "%s/%s", dir, e->d_name);
		if (!is_nvme(e->d_name) || !realpath(link, real) || strlen(real) < strlen(base))
			continue;
		strcpy(controller.path, real + strlen(base));
		look_up_from(f, controller);
	}
	if (d)
		closedir(d);
}

/* The most particular comes first on the way up; ata and PCI lie above. */
static void look(struct iobi_facts *f, const struct way *at)
{
	static const char *const plain[][2] = {
		{ "virtio", "virtio" }, { "session", "iscsi" }, { "mmc", "mmc" },
		{ "vbd-", "xen" },      { "VMBUS:", "hyperv" }, { "vmbus", "hyperv" },
	};
	const char *part = last_part(at);
	bool known = iobi_facts_find(f, "transport");
	if (known)
		return;
	if (is_nvme(part))
		nvme(f, at);
	if (starts(part, "nvme-subsys"))
		nvme_subsystem(f, at);
	if (starts(part, "rport-")) {
		iobi_facts_text(f, "transport", "fc");
		fc_link(f, *at);
	} else if (starts(part, "end_device-")) {
		iobi_facts_text(f, "transport", "sas");
		sas_link(f, *at);
	} else if (starts(part, "ata") && is_digit(part[3])) {
		iobi_facts_text(f, "transport", "sata");
		ata_link(f, at);
	} else if (starts(part, "usb") && is_digit(part[3])) {
		iobi_facts_text(f, "transport", "usb");
	}
	for (size_t i = 0; i < IOBI_LEN(plain); i++)
		if (starts(part, plain[i][0]))
			iobi_facts_text(f, "transport", plain[i][1]);
}

/* PCIe is the device's own link only where no other bus lies between. */
static void look_at_link(struct iobi_facts *f, const struct way *at)
{
	const struct iob_fact *transport = iobi_facts_find(f, "transport");
	if (transport && !strcmp(transport->text, "nvme") && !iobi_facts_find(f, "link_speed"))
		pcie_link(f, at);
}

static void look_at_node(struct iobi_facts *f, const struct way *at)
{
	char text[32];
	int64_t node;
	if (read_line(at->root, at->path, "numa_node", text, sizeof(text)) &&
	    iobi_sysfs_parse(text, &node) && node >= 0)
		iobi_facts_number(f, "numa_node", node);
}

static void look_up_from(struct iobi_facts *f, struct way at)
{
	do {
		look(f, &at);
		look_at_link(f, &at);
		look_at_node(f, &at);
	} while (up(&at));
}

void iobi_facts_transport(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev)
{
	struct way first = { .root = sys->root };
	if (!iobi_sysfs_real(sys->root, dev, first.path))
		return;
	look_up_from(f, first);
	const struct iob_fact *transport = iobi_facts_find(f, "transport");
	if (transport && !strcmp(transport->text, "usb"))
		usb_link(f, first);
}
