#!/bin/bash
# SPDX-License-Identifier: MIT
# Which device may be written: real ones in every kind of use, refused or let through as the rules
# say; a refused run changes no byte and says who uses the device or what is on it. ctest: timeout=300
. "$IOBENCH_SOURCE/tests/support/device.sh"
[ "$(id -u)" = 0 ] || skip "root is needed"

undo=()
at_end()
{
	for ((i = ${#undo[@]} - 1; i >= 0; i--)); do
		eval "${undo[i]}"
	done
}
trap at_end EXIT

# A loop device, and the file under it, in $name and ${name}_file.
loop()
{
	local -n device_=$1 file_=$1_file
	shift
	read -r device_ file_ < <(testdev loop "$@") && [ -n "$device_" ] || skip "no loop device"
}

write="--read-percent 0 --io-size 64k --runtime 0 --engine psync"

# refused NAME FILE WORD... -- ARGUMENTS: exit 2, each word in the message, not a byte of FILE changed.
refused()
{
	local name=$1 file=$2 words=() before code
	shift 2
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	sync "$file"
	before=$(cksum <"$file")
	iobench run $write "$@" >"$scratch/out" 2>"$scratch/err"
	code=$?
	printf '%-38s %s\n' "$name" "$(cut -c 1-160 "$scratch/err" | head -n 1)"
	[ $code = 2 ] || complain "$name: exit $code, not 2"
	[ ! -s "$scratch/out" ] || complain "$name: it printed a report"
	for word in "${words[@]}"; do
		grep -qF -- "$word" "$scratch/err" || complain "$name: \"$word\" is not in the message"
	done
	sync "$file"
	[ "$before" = "$(cksum <"$file")" ] || complain "$name: the device changed"
}

# allowed NAME FILE ARGUMENTS: exit 0, and something was written.
allowed()
{
	local name=$1 file=$2 before code
	shift 2
	sync "$file"
	before=$(cksum <"$file")
	iobench run $write "$@" >"$scratch/out" 2>"$scratch/err"
	code=$?
	printf '%-38s let through\n' "$name"
	[ $code = 0 ] || complain "$name: exit $code: $(cat "$scratch/err")"
	sync # what is on a device is in its page cache first
	[ "$before" != "$(cksum <"$file")" ] || complain "$name: nothing was written"
}

# says DEVICE TEXT: in what `iobench device` prints.
says()
{
	iobench device "$1" >"$scratch/device" 2>&1 || complain "iobench device $1: $(cat "$scratch/device")"
	grep -qF -- "$2" "$scratch/device" || complain "iobench device $1 does not say \"$2\""
}

# report_refused NAME FILE WORD ARGUMENTS: reading a device, and the report may not replace FILE.
report_refused()
{
	local name=$1 file=$2 word=$3 inode
	shift 3
	inode=$(stat -c %i "$file")
	iobench run --runtime 50ms --output "$file" "$@" >"$scratch/out" 2>"$scratch/err"
	[ $? = 2 ] && grep -qF -- "$word" "$scratch/err" || complain "$name: $(cat "$scratch/err")"
	[ "$inode" = "$(stat -c %i "$file")" ] || complain "$name: the file was replaced"
}

both="--allow-destroy --overwrite-signature"

# ---- an empty device ----
loop empty 16m
refused "without --allow-destroy" "$empty_file" ALLOW_DESTROY "$empty" -- --target "$empty"
refused "only --overwrite-signature" "$empty_file" ALLOW_DESTROY -- --target "$empty" --overwrite-signature
allowed "an empty loop device" "$empty_file" --target "$empty" --allow-destroy
says "$empty" "nobody is known to use it"
says "$empty" "$empty_file"
loop big 16m 4096
allowed "with 4096-byte blocks" "$big_file" --target "$big" --allow-destroy --block-size 4k
ln -s "$empty" "$scratch/by id:a b"
allowed "by a link with : and blanks" "$empty_file" --target "$scratch/by id:a b" --allow-destroy
says "$scratch/by id:a b" "$empty  loop"

report_refused "a report on the file under it" "$empty_file" "it is the target" --target "$empty"

# ---- signatures ----
loop fs 64m
mkfs.ext4 -qF -L precious "$fs"
refused "an ext4 file system" "$fs_file" ext4 precious OVERWRITE_SIGNATURE -- --target "$fs" --allow-destroy
says "$fs" "ext4 (filesystem), named precious"
allowed "the same, --overwrite-signature" "$fs_file" --target "$fs" $both
if command -v mkfs.xfs >/dev/null; then
	loop xfs 400m
	mkfs.xfs -qf "$xfs" >/dev/null
	refused "an xfs file system" "$xfs_file" xfs OVERWRITE_SIGNATURE -- --target "$xfs" --allow-destroy
fi
loop luks 32m
if command -v cryptsetup >/dev/null; then
	echo secret | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$luks" -
else
	printf 'LUKS\272\276\0\1' | dd of="$luks" conv=notrunc,fsync status=none
fi
refused "a LUKS header" "$luks_file" crypto_LUKS OVERWRITE_SIGNATURE -- --target "$luks" --allow-destroy
loop swapped 32m
mkswap -q "$swapped" >/dev/null
refused "a swap signature" "$swapped_file" swap OVERWRITE_SIGNATURE -- --target "$swapped" --allow-destroy

# A table of one Linux partition from sector 2048, 16 MiB long.
loop disk 64m
printf '\0\0\0\0\203\0\0\0\0\10\0\0\0\200\0\0' | dd of="$disk" bs=1 seek=446 conv=notrunc status=none
printf '\125\252' | dd of="$disk" bs=1 seek=510 conv=notrunc,fsync status=none
refused "a partition table" "$disk_file" "partition table (dos)" OVERWRITE_SIGNATURE -- \
	--target "$disk" --allow-destroy

# ---- in use ----
loop mounted 32m
mkfs.ext4 -qF "$mounted"
mkdir "$scratch/mnt"
mount "$mounted" "$scratch/mnt" || skip "no mount"
undo+=("umount $scratch/mnt")
refused "mounted" "$mounted_file" "$mounted is mounted at $scratch/mnt" -- --target "$mounted" $both
says "$mounted" "$mounted is mounted at $scratch/mnt"
refused "mounted, the file under it" "$mounted_file" "$mounted is on it" "$scratch/mnt" -- \
	--target "$mounted_file" $both --direct false
report_refused "a report on the file of another" "$mounted_file" "a device is on it" --target "$empty"
head -c 8M /dev/zero >"$scratch/mnt/image"
inner=$(testdev loop-over "$scratch/mnt/image" | cut -d' ' -f1)
undo+=("losetup -d $inner")
allowed "loop on a file of a mounted one" "$scratch/mnt/image" --target "$inner" --allow-destroy
twin=$(testdev loop-over "$mounted_file" | cut -d' ' -f1)
refused "another loop on the mounted file" "$mounted_file" "$mounted is mounted at" -- --target "$twin" $both

below_twin=$(testdev loop-over "$twin" | cut -d' ' -f1)
refused "a loop device on that one" "$mounted_file" "$mounted is mounted at" -- --target "$below_twin" $both

loop shared 32m
first=$(testdev loop-over "$shared" | cut -d' ' -f1)
second=$(testdev loop-over "$shared" | cut -d' ' -f1)
allowed "one of two loops on a device" "$shared_file" --target "$second" --allow-destroy
mkfs.ext4 -qF "$first"
mkdir "$scratch/mnt4"
mount "$first" "$scratch/mnt4"
undo+=("umount $scratch/mnt4")
refused "the other one is mounted" "$shared_file" "$first is mounted at $scratch/mnt4" -- \
	--target "$second" $both

# Mounted where this process cannot see it.
loop away 32m
mkfs.ext4 -qF "$away"
away_twin=$(testdev loop-over "$away_file" | cut -d' ' -f1)
if unshare -m true 2>/dev/null; then
	mkdir "$scratch/mnt5"
	unshare -m sh -c "mount $away $scratch/mnt5 && echo ready && exec sleep 600" >"$scratch/away" &
	hider=$!
	for ((i = 0; i < 600; i++)); do grep -q ready "$scratch/away" && break; sleep 0.05; done
	mountpoint -q "$scratch/mnt5" && complain "the mount is to be seen"
	refused "mounted in another namespace" "$away_file" exclusively -- --target "$away" $both
	refused "another loop on its file" "$away_file" "$away is open exclusively" -- --target "$away_twin" $both
	refused "the file under it" "$away_file" "$away is open exclusively" -- --target "$away_file" $both \
		--direct false
	kill $hider
	wait $hider 2>/dev/null
fi

loop outer 32m
allowed "a device without a loop on it" "$outer_file" --target "$outer" --allow-destroy
nested=$(testdev loop-over "$outer" | cut -d' ' -f1)
refused "a loop device is on it" "$outer_file" "$outer is held by $nested" -- --target "$outer" $both
allowed "the loop device on a device" "$outer_file" --target "$nested" --allow-destroy
mkfs.ext4 -qF "$nested"
mkdir "$scratch/mnt2"
mount "$nested" "$scratch/mnt2"
undo+=("umount $scratch/mnt2")
refused "what is on it is mounted" "$outer_file" "$nested is mounted at $scratch/mnt2" -- --target "$outer" $both

if swapon "$swapped" 2>/dev/null; then
	undo+=("swapoff $swapped 2>/dev/null")
	refused "swap space" "$swapped_file" "$swapped is swap space" -- --target "$swapped" $both
	says "$swapped" "is swap space"
	swapoff "$swapped"
	allowed "no longer swap space" "$swapped_file" --target "$swapped" $both
else
	echo "without swap"
fi

# Exclusively open by somebody who shows nowhere.
loop claimed 16m
perl -e 'use Fcntl; sysopen(F, $ARGV[0], O_RDWR | O_EXCL) or die; $| = 1; print "ready\n"; sleep 600' "$claimed" \
	>"$scratch/ready" &
claimer=$!
until grep -q ready "$scratch/ready"; do sleep 0.05; done
refused "open exclusively" "$claimed_file" exclusively -- --target "$claimed" $both
says "$claimed" "is open exclusively"
kill $claimer
wait $claimer 2>/dev/null
allowed "no longer" "$claimed_file" --target "$claimed" --allow-destroy

# ---- partitions ----
if command -v addpart >/dev/null && addpart "$disk" 1 2048 32768 2>/dev/null; then
	part=${disk}p1
	undo+=("delpart $disk 1")
	for ((i = 0; i < 100; i++)); do [ -b "$part" ] && break; sleep 0.05; done
	allowed "a partition" "$disk_file" --target "$part" --allow-destroy
	says "$part" "1 of $disk"
	mkfs.ext4 -qF "$part"
	refused "a file system on a partition" "$disk_file" ext4 -- --target "$part" --allow-destroy
	mkdir "$scratch/mnt3"
	mount "$part" "$scratch/mnt3"
	undo+=("umount $scratch/mnt3")
	refused "a mounted partition" "$disk_file" "$part is mounted at $scratch/mnt3" -- --target "$part" $both
	refused "the disk of a mounted partition" "$disk_file" "$part is mounted at $scratch/mnt3" -- \
		--target "$disk" $both
	same=$(testdev loop-over "$disk_file" | cut -d' ' -f1)
	if addpart "$same" 1 2048 32768 && addpart "$same" 2 40960 32768; then
		for ((i = 0; i < 100; i++)); do [ -b "${same}p2" ] && break; sleep 0.05; done
		refused "the partition on another loop" "$disk_file" "$part is mounted at" -- \
			--target "${same}p1" $both
		allowed "one behind it there" "$disk_file" --target "${same}p2" --allow-destroy
		delpart "$same" 1
		delpart "$same" 2
	fi
	addpart "$disk" 2 40960 32768
	undo+=("delpart $disk 2")
	for ((i = 0; i < 100; i++)); do [ -b "${disk}p2" ] && break; sleep 0.05; done
	allowed "another partition of it" "$disk_file" --target "${disk}p2" --allow-destroy
else
	echo "without partitions"
fi

# ---- libmount, which tells that, cannot be loaded ----
mkdir -p "$scratch/without"
: >"$scratch/without/libmount.so.1" # no library: it is not looked for any further
LD_LIBRARY_PATH=$scratch/without refused "without libmount" "$empty_file" \
	"libmount.so.1 cannot be loaded" "may be mounted" -- --target "$empty" $both

# ---- claimed for as long as it runs ----
loop held 32m
iobench run --target "$held" --allow-destroy --read-percent 0 --runtime 2s >/dev/null 2>"$scratch/run" &
runner=$!
sleep 0.7
refused "written by another run" "$empty_file" exclusively -- --target "$held" $both
mkfs.ext4 -q "$held" </dev/null >/dev/null 2>&1 && complain "mkfs worked on a device that a run writes"
wait $runner || complain "the run that others tried to disturb failed: $(cat "$scratch/run")"
iobench run --target "$empty" --runtime 1s >/dev/null 2>&1 &
runner=$!
sleep 0.3
allowed "read by another run" "$empty_file" --target "$empty" --allow-destroy
wait $runner || complain "a reading run beside a writing one failed"

# ---- files ----
head -c 1M /dev/urandom >"$scratch/a file: \"ü\""
refused "a file without --allow-destroy" "$scratch/a file: \"ü\"" ALLOW_DESTROY -- --target "$scratch/a file: \"ü\""
allowed "a file with it" "$scratch/a file: \"ü\"" --target "$scratch/a file: \"ü\"" --allow-destroy
[ "$(stat -c %s "$scratch/a file: \"ü\"")" = 1048576 ] || complain "the file's size changed"
refused "past the end of a file" "$scratch/a file: \"ü\"" size -- --target "$scratch/a file: \"ü\"" \
	--allow-destroy --size 2m
dd if=/dev/zero of="$scratch/mnt/swap" bs=1M count=8 status=none
chmod 600 "$scratch/mnt/swap"
mkswap -q "$scratch/mnt/swap" >/dev/null
if swapon "$scratch/mnt/swap" 2>/dev/null; then
	undo+=("swapoff $scratch/mnt/swap")
	refused "a swap file" "$scratch/mnt/swap" "is a swap file" -- --target "$scratch/mnt/swap" \
		--allow-destroy
fi

for path in /proc/self/oom_score_adj /sys/kernel/mm/transparent_hugepage/enabled /sys/none; do
	iobench run $write --target "$path" $both --create --size 4k --direct false >/dev/null 2>"$scratch/err"
	[ $? = 2 ] && grep -qF "no storage" "$scratch/err" || complain "$path: $(cat "$scratch/err")"
done

# ---- zram ----
if device zram zram 16m; then
	iobench run $write --target "$zram" --allow-destroy >/dev/null || complain "zram was not let through"
	mkfs.ext4 -qF "$zram"
	iobench run $write --target "$zram" --allow-destroy 2>"$scratch/err" >/dev/null
	[ $? = 2 ] && grep -q ext4 "$scratch/err" || complain "zram with ext4: $(cat "$scratch/err")"
fi
exit $failed
