/* SPDX-License-Identifier: MIT */
/* Facts, users and reports of devices that are made of files. */
#include "support/fake.h"
#include "support/nomem.h"
#include "support/test.h"
#include "target/device.h"
#include "target/users.h"
#include <iobench/iobench.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

static struct iob_device *look(struct fake *f, const char *path)
{
	struct iob_error err = { 0 };
	struct iob_device *d = iobi_device_open(f->root, path, &err);
	ck_assert_msg(d != NULL, "%s: %s", path, err.message);
	return d;
}

static const char *text_of(const struct iob_device *d, const char *name)
{
	const struct iob_fact *f = iob_device_find(d, name);
	return f ? f->text : "-";
}

static long long number_of(const struct iob_device *d, const char *name)
{
	const struct iob_fact *f = iob_device_find(d, name);
	ck_assert_msg(f != NULL, "no %s", name);
	return f->number;
}

static void has_user(const struct iob_device *d, enum iob_user_kind kind, const char *message)
{
	for (size_t i = 0; i < iob_device_user_count(d); i++)
		if (!strcmp(iob_device_user(d, i)->message, message)) {
			ck_assert_int_eq(iob_device_user(d, i)->kind, kind);
			return;
		}
	ck_abort_msg("nobody says \"%s\" of %s", message, iob_device_path(d));
}

/* ---- facts ---- */

static void scsi_disk(struct fake *f, const char *name, const char *where)
{
	fake_disk(f, name, where);
	fake_set(f, name, "queue/logical_block_size", "512\n");
	fake_set(f, name, "queue/physical_block_size", "4096\n");
	fake_set(f, name, "queue/minimum_io_size", "4096\n");
	fake_set(f, name, "queue/optimal_io_size", "1048576\n");
	fake_set(f, name, "queue/max_sectors_kb", "1280\n");
	fake_set(f, name, "queue/max_hw_sectors_kb", "32767\n");
	fake_set(f, name, "queue/rotational", "1\n");
	fake_set(f, name, "queue/write_cache", "write back\n");
	fake_set(f, name, "queue/fua", "1\n");
	fake_set(f, name, "queue/scheduler", "none [mq-deadline] kyber bfq \n");
	fake_set(f, name, "queue/nr_requests", "256\n");
	fake_set(f, name, "queue/zoned", "none\n");
	fake_set(f, name, "mq/0/cpu_list", "0\n");
	fake_set(f, name, "mq/1/cpu_list", "1\n");
	fake_set(f, name, "device/queue_depth", "2048\n");
	fake_set(f, name, "device/vendor", "ATA     \n");
	fake_set(f, name, "device/model", "ST2000DM001-9YN1\n");
	fake_set(f, name, "device/rev", "CC4B\n");
}

START_TEST(sata)
{
	struct fake f;
	fake_begin(&f);
	scsi_disk(&f, "sda", "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block");
	fake_file(&f, "/sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:1f.2/numa_node", "1\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:1f.2/current_link_speed", "8.0 GT/s PCIe\n");
	struct iob_device *d = look(&f, "/dev/sda");
	ck_assert_str_eq(iob_device_path(d), "/dev/sda");
	ck_assert_str_eq(iob_device_kind(d), "disk");
	ck_assert_str_eq(iob_device_about(d), "ST2000DM001-9YN1 sata");
	ck_assert_int_eq(number_of(d, "size"), 3907029168LL * 512);
	ck_assert_int_eq(number_of(d, "logical_block"), 512);
	ck_assert_int_eq(number_of(d, "physical_block"), 4096);
	ck_assert_int_eq(number_of(d, "optimal_io"), 1048576);
	ck_assert_int_eq(number_of(d, "max_io"), 1280 * 1024);
	ck_assert_int_eq(number_of(d, "max_hw_io"), 32767 * 1024);
	ck_assert_int_eq(number_of(d, "rotational"), 1);
	ck_assert_str_eq(text_of(d, "rotational"), "true");
	ck_assert_str_eq(text_of(d, "write_cache"), "write back");
	ck_assert_str_eq(text_of(d, "scheduler"), "mq-deadline");
	ck_assert_int_eq(number_of(d, "nr_requests"), 256);
	ck_assert_int_eq(number_of(d, "queue_depth"), 2048);
	ck_assert_int_eq(number_of(d, "hw_queues"), 2);
	ck_assert_str_eq(text_of(d, "firmware"), "CC4B");
	ck_assert_str_eq(text_of(d, "transport"), "sata");
	ck_assert_str_eq(text_of(d, "link_speed"), "6.0 Gbps");
	ck_assert_int_eq(number_of(d, "link_limit"), 600000000);
	ck_assert_int_eq(number_of(d, "numa_node"), 1);
	ck_assert_str_eq(text_of(d, "partition"), "-");
	ck_assert_str_eq(text_of(d, "md_level"), "-");
	ck_assert_ptr_null(iob_device_find(d, "no_such_fact"));
	ck_assert_uint_eq(iob_device_below_count(d), 0);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(nvme)
{
	struct fake f;
	fake_begin(&f);
	fake_disk(&f, "nvme0n1", "pci0000:00/0000:00:04.0/nvme/nvme0");
	fake_set(&f, "nvme0n1", "queue/rotational", "0\n");
	fake_set(&f, "nvme0n1", "device/model", "Samsung SSD 980\n");
	fake_set(&f, "nvme0n1", "device/serial", "S64DNX\n");
	fake_set(&f, "nvme0n1", "device/firmware_rev", "1B4QFXO7\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0/transport", "pcie\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:04.0/current_link_speed",
		  "16.0 GT/s PCIe\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:04.0/current_link_width", "4\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:04.0/numa_node", "-1\n");
	fake_partition(&f, "nvme0n1", "nvme0n1p1", 1);
	fake_partition(&f, "nvme0n1", "nvme0n1p2", 2);
	struct iob_device *d = look(&f, "/dev/nvme0n1p2");
	ck_assert_str_eq(iob_device_kind(d), "partition");
	ck_assert_str_eq(iob_device_about(d), "2 of /dev/nvme0n1");
	ck_assert_str_eq(text_of(d, "disk"), "/dev/nvme0n1");
	ck_assert_int_eq(number_of(d, "partition"), 2);
	ck_assert_int_eq(number_of(d, "start"), (2048 + 1048576LL) * 512);
	ck_assert_int_eq(number_of(d, "size"), 1048576LL * 512);
	ck_assert_int_eq(number_of(d, "rotational"), 0); /* its disk's */
	ck_assert_uint_eq(iob_device_below_count(d), 1);
	const struct iob_device *disk = iob_device_below(d, 0);
	ck_assert_str_eq(iob_device_path(disk), "/dev/nvme0n1");
	ck_assert_str_eq(text_of(disk, "transport"), "nvme");
	ck_assert_str_eq(text_of(disk, "link_speed"), "16.0 GT/s PCIe");
	ck_assert_int_eq(number_of(disk, "link_lanes"), 4);
	ck_assert_int_eq(number_of(disk, "link_limit"), 1969230000LL * 4);
	ck_assert_str_eq(text_of(disk, "serial"), "S64DNX");
	ck_assert_str_eq(text_of(disk, "firmware"), "1B4QFXO7");
	ck_assert_str_eq(text_of(disk, "numa_node"), "-"); /* -1: none */
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

/* A namespace whose paths are hidden behind a subsystem; over the network, too. */
START_TEST(nvme_multipath)
{
	struct fake f;
	fake_begin(&f);
	fake_disk(&f, "nvme1n1", "virtual/nvme-subsystem/nvme-subsys1");
	fake_file(&f, "/sys/devices/virtual/nvme-fabrics/ctl/nvme1/transport", "tcp\n");
	fake_link(&f, "/sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1",
		  "/sys/devices/virtual/nvme-fabrics/ctl/nvme1");
	fake_disk(&f, "nvme1c1n1", "virtual/nvme-fabrics/ctl/nvme1");
	fake_link(&f, "/sys/class/block/nvme1n1/multipath/nvme1c1n1",
		  "/sys/devices/virtual/nvme-fabrics/ctl/nvme1/nvme1c1n1");
	struct iob_device *d = look(&f, "/dev/nvme1n1");
	ck_assert_str_eq(text_of(d, "transport"), "nvme/tcp");
	ck_assert_uint_eq(iob_device_below_count(d), 1);
	ck_assert_str_eq(iob_device_path(iob_device_below(d, 0)), "/dev/nvme1c1n1");
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(fibre_channel_and_others)
{
	static const struct {
		const char *name, *where, *transport;
	} disks[] = {
		{ "sdb", "pci0000:00/0000:00:05.0/host5/rport-5:0-2/target5:0:0/5:0:0:1/block",
		  "fc" },
		{ "sdc", "pci0000:00/0000:00:06.0/host6/port-6:1/end_device-6:1/target6:0:1/block",
		  "sas" },
		{ "sdd", "platform/host7/session1/target7:0:0/7:0:0:0/block", "iscsi" },
		{ "sde", "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host8/target8:0:0/block",
		  "usb" },
		{ "vda", "pci0000:00/0000:00:02.0/virtio1/block", "virtio" },
		{ "mmcblk0", "platform/soc/mmc0/mmc0:0001/block", "mmc" },
		{ "xvda", "vbd-51712/block", "xen" },
		{ "ram0", NULL, "-" },
	};
	struct fake f;
	fake_begin(&f);
	for (size_t i = 0; i < IOBI_LEN(disks); i++)
		fake_disk(&f, disks[i].name, disks[i].where);
	fake_file(&f, "/sys/class/fc_host/host5/speed", "16 Gbit\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:06.0/host6/port-6:1/phy-6:3/x", "");
	fake_file(&f, "/sys/class/sas_phy/phy-6:3/negotiated_linkrate", "12.0 Gbit\n");
	fake_file(&f, "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/speed", "5000\n");
	for (size_t i = 0; i < IOBI_LEN(disks); i++) {
		char path[32];
		snprintf(path, sizeof(path), "/dev/%s", disks[i].name);
		struct iob_device *d = look(&f, path);
		ck_assert_str_eq(text_of(d, "transport"), disks[i].transport);
		if (!strcmp(disks[i].name, "sdb"))
			ck_assert_int_eq(number_of(d, "link_limit"), 1600000000);
		if (!strcmp(disks[i].name, "sdc"))
			ck_assert_int_eq(number_of(d, "link_limit"), 1200000000);
		if (!strcmp(disks[i].name, "sde"))
			ck_assert_str_eq(text_of(d, "link_speed"), "5000 Mb/s");
		iob_device_free(d);
	}
	fake_end(&f);
}
END_TEST

START_TEST(stacked)
{
	struct fake f;
	fake_begin(&f);
	fake_disk(&f, "md0", NULL);
	fake_set(&f, "md0", "md/level", "raid6\n");
	fake_set(&f, "md0", "md/raid_disks", "10\n");
	fake_set(&f, "md0", "md/chunk_size", "65536\n");
	fake_set(&f, "md0", "md/array_state", "clean\n");
	fake_set(&f, "md0", "md/degraded", "1\n");
	fake_disk(&f, "dm-0", NULL);
	fake_set(&f, "dm-0", "dm/name", "vg--a-lv--b--c\n");
	fake_set(&f, "dm-0", "dm/uuid", "LVM-x\n");
	fake_stack(&f, "dm-0", "md0");
	fake_disk(&f, "dm-1", NULL);
	fake_set(&f, "dm-1", "dm/name", "secret\n");
	fake_set(&f, "dm-1", "dm/uuid", "CRYPT-LUKS2-x\n");
	fake_disk(&f, "bcache0", NULL);
	fake_set(&f, "bcache0", "bcache/cache_mode", "writethrough [writeback] writearound none\n");
	struct iob_device *d = look(&f, "/dev/mapper/vg--a-lv--b--c");
	ck_assert_str_eq(text_of(d, "logical_volume"), "vg-a/lv-b-c");
	ck_assert_str_eq(iob_device_about(d), "LVM vg-a/lv-b-c");
	const struct iob_device *md = iob_device_below(d, 0);
	ck_assert_str_eq(iob_device_about(md), "raid6, 10 disks");
	ck_assert_int_eq(number_of(md, "md_chunk"), 65536);
	ck_assert_int_eq(number_of(md, "md_degraded"), 1);
	ck_assert_str_eq(text_of(md, "md_state"), "clean");
	iob_device_free(d);
	d = look(&f, "/dev/dm-1");
	ck_assert_str_eq(iob_device_about(d), "encrypted secret");
	iob_device_free(d);
	d = look(&f, "/dev/bcache0");
	ck_assert_str_eq(iob_device_kind(d), "bcache");
	ck_assert_str_eq(text_of(d, "cache_mode"), "writeback");
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

/* A file on LVM; btrfs, whose device number is no device's, on two disks. */
START_TEST(files)
{
	struct fake f;
	char number[32];
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_disk(&f, "sdb", NULL);
	fake_disk(&f, "sdc", NULL);
	fake_disk(&f, "dm-0", NULL);
	fake_stack(&f, "dm-0", "sda");
	fake_mount(&f, "0:21", "/", "tmpfs", "none");
	fake_mount(&f, fake_number(&f, "dm-0", number, sizeof(number)), "/srv", "ext4",
		   "/dev/dm-0");
	fake_mount(&f, "0:44", "/srv/pool", "btrfs", "/dev/sdc");
	fake_link(&f, "/sys/fs/btrfs/1234-5678/devices/sdb", "/sys/devices/virtual/block/sdb");
	fake_link(&f, "/sys/fs/btrfs/1234-5678/devices/sdc", "/sys/devices/virtual/block/sdc");
	fake_file(&f, "/sys/fs/btrfs/features/x", "1\n");
	struct iob_device *d = look(&f, "/srv/data/file 1");
	ck_assert_str_eq(iob_device_kind(d), "file");
	ck_assert_str_eq(text_of(d, "filesystem"), "ext4");
	ck_assert_str_eq(text_of(d, "mount_point"), "/srv");
	ck_assert_str_eq(text_of(d, "mount_options"), "rw,relatime,errors=remount-ro");
	ck_assert_str_eq(iob_device_about(d), "ext4 at /srv");
	ck_assert_uint_eq(iob_device_below_count(d), 1);
	ck_assert_str_eq(iob_device_path(iob_device_below(iob_device_below(d, 0), 0)), "/dev/sda");
	iob_device_free(d);
	d = look(&f, "/srv/pool/x");
	ck_assert_str_eq(text_of(d, "filesystem"), "btrfs");
	ck_assert_uint_eq(iob_device_below_count(d), 2);
	ck_assert_str_eq(iob_device_path(iob_device_below(d, 1)), "/dev/sdc");
	iob_device_free(d);
	d = look(&f, "/srvx");
	ck_assert_str_eq(text_of(d, "filesystem"), "tmpfs");
	ck_assert_uint_eq(iob_device_below_count(d), 0);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

/* Files that are empty, huge, no numbers or out of range say nothing. */
START_TEST(what_is_no_fact_is_left_out)
{
	static char huge[70000];
	struct fake f;
	memset(huge, '1', sizeof(huge) - 1);
	fake_begin(&f);
	scsi_disk(&f, "sda", NULL);
	fake_set(&f, "sda", "queue/logical_block_size", "");
	fake_set(&f, "sda", "queue/physical_block_size", huge);
	fake_set(&f, "sda", "queue/minimum_io_size", "4k\n");
	fake_set(&f, "sda", "queue/optimal_io_size", "-4096\n");
	fake_set(&f, "sda", "queue/max_sectors_kb", "9223372036854775807\n");
	fake_set(&f, "sda", "queue/rotational", "2\n");
	fake_set(&f, "sda", "queue/scheduler", "\n");
	fake_set(&f, "sda", "queue/nr_requests", "99999999999999999999\n");
	fake_set(&f, "sda", "device/model", huge);
	fake_set(&f, "sda", "stat", "what?\n");
	struct iob_device *d = look(&f, "/dev/sda");
	static const char *const gone[] = { "logical_block", "physical_block", "minimum_io",
					    "optimal_io",    "max_io",         "rotational",
					    "scheduler",     "nr_requests" };
	for (size_t i = 0; i < IOBI_LEN(gone); i++)
		ck_assert_msg(!iob_device_find(d, gone[i]), "%s is %s", gone[i],
			      text_of(d, gone[i]));
	ck_assert_uint_lt(strlen(text_of(d, "model")), 600);
	ck_assert_int_eq(number_of(d, "queue_depth"), 2048);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(the_table)
{
	const struct iob_fact *f;
	size_t n = 0;
	for (; (f = iob_fact_info(n)); n++) {
		ck_assert_uint_eq(f->size, sizeof(*f));
		ck_assert_uint_gt(strlen(f->help), 2);
		ck_assert_ptr_null(f->text);
		for (size_t i = 0; i < n; i++)
			ck_assert_str_ne(iob_fact_info(i)->name, f->name);
	}
	ck_assert_uint_ge(n, 50);
}
END_TEST

/* ---- users ---- */

START_TEST(who_uses_a_disk)
{
	struct fake f;
	char number[32];
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_partition(&f, "sda", "sda1", 1);
	fake_partition(&f, "sda", "sda2", 2);
	fake_partition(&f, "sda", "sda3", 3);
	fake_disk(&f, "dm-0", NULL);
	fake_disk(&f, "dm-1", NULL);
	fake_stack(&f, "dm-0", "sda3");
	fake_stack(&f, "dm-1", "sda3");
	fake_disk(&f, "sdb", NULL);
	fake_mount(&f, fake_number(&f, "sda1", number, sizeof(number)), "/boot\\040x", "ext4",
		   "/dev/sda1");
	fake_mount(&f, fake_number(&f, "dm-0", number, sizeof(number)), "/", "xfs", "/dev/dm-0");
	fake_file(&f, "/proc/swaps",
		  "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n");

	struct iob_device *d = look(&f, "/dev/sda");
	has_user(d, IOB_USER_MOUNT, "/dev/sda1 is mounted at /boot x");
	has_user(d, IOB_USER_MOUNT, "/dev/dm-0 is mounted at /");
	has_user(d, IOB_USER_SWAP, "/dev/sda2 is swap space");
	has_user(d, IOB_USER_HOLDER, "/dev/sda3 is held by /dev/dm-0");
	has_user(d, IOB_USER_HOLDER, "/dev/sda3 is held by /dev/dm-1");
	ck_assert_uint_eq(iob_device_user_count(d), 5);
	ck_assert_int_eq(iob_device_user(d, 0)->kind, IOB_USER_MOUNT);
	iob_device_free(d);

	/* A volume that nobody uses beside one that is mounted: free. */
	d = look(&f, "/dev/dm-1");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	iob_device_free(d);
	d = look(&f, "/dev/sdb");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	iob_device_free(d);
	/* Another partition of a disk in use: free. */
	fake_partition(&f, "sda", "sda4", 4);
	d = look(&f, "/dev/sda4");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(through_slaves_and_disks)
{
	struct fake f;
	char number[32];
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_partition(&f, "sda", "sda1", 1);
	fake_disk(&f, "dm-0", NULL);
	fake_stack(&f, "dm-0", "sda1");
	fake_mount(&f, fake_number(&f, "sda", number, sizeof(number)), "/odd", "ext4", "/dev/sda");
	struct iob_device *d = look(&f, "/dev/dm-0");
	has_user(d, IOB_USER_MOUNT, "/dev/sda is mounted at /odd");
	iob_device_free(d);
	d = look(&f, "/dev/sda1");
	has_user(d, IOB_USER_MOUNT, "/dev/sda is mounted at /odd");
	iob_device_free(d);
	/* A disk that an array holds as a whole holds all of its partitions. */
	fake_disk(&f, "sdb", NULL);
	fake_partition(&f, "sdb", "sdb1", 1);
	fake_disk(&f, "md0", NULL);
	fake_stack(&f, "md0", "sdb");
	d = look(&f, "/dev/sdb1");
	has_user(d, IOB_USER_HOLDER, "/dev/sdb is held by /dev/md0");
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(loops)
{
	struct fake f;
	char number[32];
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_mount(&f, fake_number(&f, "sda", number, sizeof(number)), "/", "ext4", "/dev/sda");
	fake_disk(&f, "loop0", NULL);
	fake_set(&f, "loop0", "loop/backing_file", "/images/a\n");
	fake_disk(&f, "loop1", NULL);
	fake_set(&f, "loop1", "loop/backing_file", "/dev/loop0\n");
	fake_disk(&f, "loop2", NULL); /* on nothing */
	/* What a file lies on is no use of the loop device on it. */
	struct iob_device *d = look(&f, "/dev/loop2");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	iob_device_free(d);
	d = look(&f, "/dev/loop1");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	ck_assert_str_eq(iob_device_about(d), "on /dev/loop0");
	iob_device_free(d);
	d = look(&f, "/dev/loop0");
	has_user(d, IOB_USER_HOLDER, "/dev/loop0 is held by /dev/loop1");
	ck_assert_uint_eq(iob_device_user_count(d), 1);
	iob_device_free(d);
	fake_mount(&f, fake_number(&f, "loop0", number, sizeof(number)), "/mnt", "ext4",
		   "/dev/loop0");
	d = look(&f, "/dev/loop1"); /* it would overwrite what is mounted */
	has_user(d, IOB_USER_MOUNT, "/dev/loop0 is mounted at /mnt");
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

/* Partitions and loop devices that lie on the same bytes of a disk. */
START_TEST(others_on_the_same_bytes)
{
	struct fake f;
	char number[32];
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_set(&f, "sda", "size", "16777216\n");
	fake_partition(&f, "sda", "sda1", 1);
	fake_partition(&f, "sda", "sda2", 2);
	fake_partition(&f, "sda", "sda3", 3);
	fake_set(&f, "sda2", "start", "1050623\n"); /* the last sector of sda1 */
	fake_mount(&f, fake_number(&f, "sda1", number, sizeof(number)), "/", "ext4", "/dev/sda1");
	struct iob_device *d = look(&f, "/dev/sda2");
	has_user(d, IOB_USER_MOUNT, "/dev/sda1 is mounted at /");
	iob_device_free(d);
	d = look(&f, "/dev/sda3");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	iob_device_free(d);

	fake_disk(&f, "loop0", NULL);
	fake_set(&f, "loop0", "size", "1024\n");
	fake_set(&f, "loop0", "loop/backing_file", "/dev/sda\n");
	fake_set(&f, "loop0", "loop/offset", "1048064\n"); /* up to 511 sectors of sda1 */
	d = look(&f, "/dev/loop0");
	has_user(d, IOB_USER_MOUNT, "/dev/sda1 is mounted at /");
	iob_device_free(d);
	fake_set(&f, "loop0", "size", "1\n");
	d = look(&f, "/dev/loop0");
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(btrfs_is_found_by_its_source)
{
	struct fake f;
	fake_begin(&f);
	fake_disk(&f, "sda", NULL);
	fake_mount(&f, "0:50", "/pool", "btrfs", "/dev/sda");
	struct iob_device *d = look(&f, "/dev/sda");
	has_user(d, IOB_USER_MOUNT, "/dev/sda is mounted at /pool");
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(a_cycle_of_holders)
{
	struct fake f;
	fake_begin(&f);
	fake_disk(&f, "dm-0", NULL);
	fake_disk(&f, "dm-1", NULL);
	fake_stack(&f, "dm-0", "dm-1");
	fake_stack(&f, "dm-1", "dm-0");
	fake_stack(&f, "dm-1", "dm-1");
	struct iob_device *d = look(&f, "/dev/dm-0");
	has_user(d, IOB_USER_HOLDER, "/dev/dm-0 is held by /dev/dm-1");
	ck_assert_uint_le(iob_device_user_count(d), 4);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

/* ---- reports ---- */

static int gather(void *user, const char *data, size_t len)
{
	iobi_text_add_n(user, data, len);
	return 0;
}

static void striped(struct fake *f)
{
	char number[32];
	fake_begin(f);
	fake_disk(f, "md0", NULL);
	fake_set(f, "md0", "md/level", "raid0\n");
	fake_set(f, "md0", "md/raid_disks", "2\n");
	fake_disk(f, "sda", NULL);
	fake_partition(f, "sda", "sda1", 1);
	fake_partition(f, "sda", "sda2", 2);
	fake_set(f, "sda", "device/model", "A \"disk\"\x01\xff\n");
	fake_stack(f, "md0", "sda1");
	fake_stack(f, "md0", "sda2");
	fake_mount(f, fake_number(f, "md0", number, sizeof(number)), "/srv", "ext4", "/dev/md0");
}

START_TEST(as_text)
{
	struct iobi_text t = { 0 };
	struct fake f;
	striped(&f);
	struct iob_device *d = look(&f, "/dev/md0");
	ck_assert_int_eq(iob_device_report(d, "text", gather, &t, NULL), 0);
	static const char *const lines[] = {
		"/dev/md0  md, raid0, 2 disks\n",
		"  in use               /dev/md0 is mounted at /srv\n",
		"  size                 1.82 TiB (2,000,398,934,016 bytes)\n",
		"  md_level             raid0\n",
		"\nlayers\n",
		"\n  /dev/md0 ",
		"\n    /dev/sda1 ",
		"\n      /dev/sda ",
		"A \"disk\"?",
		"\n    /dev/sda2 ",
		"as above\n",
	};
	for (size_t i = 0; i < IOBI_LEN(lines); i++)
		ck_assert_msg(strstr(t.data, lines[i]) != NULL, "no \"%s\" in\n%s", lines[i],
			      t.data);
	iobi_text_free(&t);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

START_TEST(as_json)
{
	struct iobi_text t = { 0 };
	struct fake f;
	striped(&f);
	struct iob_device *d = look(&f, "/dev/md0");
	ck_assert_int_eq(iob_device_report(d, "json", gather, &t, NULL), 0);
	json_t *v = json_loads(t.data, 0, NULL);
	ck_assert_ptr_nonnull(v);
	json_t *md = json_object_get(v, "device"), *below = json_object_get(md, "below");
	ck_assert_str_eq(json_string_value(json_object_get(md, "path")), "/dev/md0");
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(md, "facts"), "size")),
			 2000398934016);
	ck_assert_uint_eq(json_array_size(below), 2);
	json_t *first = json_object_get(json_array_get(below, 0), "below");
	json_t *second = json_object_get(json_array_get(below, 1), "below");
	ck_assert_ptr_nonnull(json_object_get(json_array_get(first, 0), "facts"));
	ck_assert(json_is_true(json_object_get(json_array_get(second, 0), "repeated")));
	json_t *user = json_array_get(json_object_get(v, "users"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(user, "what")), "/srv");
	json_decref(v);
	iobi_text_free(&t);
	iob_device_free(d);
	fake_end(&f);
}
END_TEST

/* ---- wrong calls ---- */

START_TEST(wrong_paths)
{
	struct iob_error err;
	static const struct {
		const char *path;
		int code;
	} wrong[] = { { "/dev/no such device", ENOENT },
		      { "/tmp", EISDIR },
		      { "/dev/null", ENOTBLK },
		      { "", EINVAL } };
	for (size_t i = 0; i < IOBI_LEN(wrong); i++) {
		memset(&err, 0, sizeof(err));
		ck_assert_ptr_null(iob_device_open(wrong[i].path, &err));
		ck_assert_int_eq(err.code, wrong[i].code);
		ck_assert(err.message[0] && !strcmp(err.where, "device"));
	}
	ck_assert_ptr_null(iob_device_open(NULL, &err));
	ck_assert_ptr_null(iob_device_open(NULL, NULL));
	iob_device_free(NULL);
	ck_assert_uint_eq(iob_device_fact_count(NULL), 0);
	ck_assert_ptr_null(iob_device_fact(NULL, 0));
	ck_assert_ptr_null(iob_device_below(NULL, 0));
	ck_assert_ptr_null(iob_device_user(NULL, 0));
	ck_assert_ptr_null(iob_device_signature(NULL, 0));
	ck_assert_str_eq(iob_device_path(NULL), "");
	ck_assert_int_eq(iob_device_report(NULL, "text", gather, NULL, &err), -EINVAL);
}
END_TEST

START_TEST(a_file_of_this_machine)
{
	char path[] = "/tmp/iobench a:b \xc3\xbc.XXXXXX";
	struct iobi_text t = { 0 };
	struct iob_error err = { 0 };
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 12345), 0);
	struct iob_device *d = iob_device_open(path, &err);
	ck_assert_msg(d != NULL, "%s", err.message);
	ck_assert_str_eq(iob_device_path(d), path);
	ck_assert_int_eq(number_of(d, "size"), 12345);
	ck_assert_int_eq(number_of(d, "allocated"), 0);
	ck_assert_uint_eq(iob_device_user_count(d), 0);
	ck_assert_int_eq(iob_device_report(d, "yaml", gather, &t, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.message, "yaml"));
	iob_device_free(d);
	close(fd);
	unlink(path);
}
END_TEST

/* Wherever memory runs out it is an error, and nothing leaks or breaks. */
START_TEST(no_memory)
{
	struct fake f;
	striped(&f);
	for (int n = 0; nomem_at(n); n++) {
		struct iob_error err = { 0 };
		struct iob_device *d = iobi_device_open(f.root, "/dev/md0", &err);
		int hit = nomem_hit();
		if (!d)
			ck_assert_int_eq(err.code, ENOMEM);
		iob_device_free(d);
		if (!hit)
			break;
	}
	fake_end(&f);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("device");
	TCase *t = tcase_create("facts");
	tcase_add_test(t, sata);
	tcase_add_test(t, nvme);
	tcase_add_test(t, nvme_multipath);
	tcase_add_test(t, fibre_channel_and_others);
	tcase_add_test(t, stacked);
	tcase_add_test(t, files);
	tcase_add_test(t, what_is_no_fact_is_left_out);
	tcase_add_test(t, the_table);
	suite_add_tcase(s, t);
	t = tcase_create("users");
	tcase_add_test(t, who_uses_a_disk);
	tcase_add_test(t, through_slaves_and_disks);
	tcase_add_test(t, loops);
	tcase_add_test(t, others_on_the_same_bytes);
	tcase_add_test(t, btrfs_is_found_by_its_source);
	tcase_add_test(t, a_cycle_of_holders);
	suite_add_tcase(s, t);
	t = tcase_create("reports");
	tcase_add_test(t, as_text);
	tcase_add_test(t, as_json);
	suite_add_tcase(s, t);
	t = tcase_create("wrong");
	tcase_add_test(t, wrong_paths);
	tcase_add_test(t, a_file_of_this_machine);
	tcase_add_test(t, no_memory);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
