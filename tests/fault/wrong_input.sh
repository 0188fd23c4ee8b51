#!/bin/bash
# SPDX-License-Identifier: MIT
# Wrong input, each its own message that names the parameter and the value, exit 2, nothing on
# stdout, nothing opened for writing, nothing changed.
. "$IOBENCH_SOURCE/tests/support/device.sh"

file=$scratch/target
head -c 1048576 /dev/urandom >"$file"
trace=
if strace -f -e trace=openat -o "$scratch/trace" true 2>/dev/null && [ -z "$IOBENCH_SANITIZE" ]; then
	trace="strace -f -qq -e trace=open,openat,openat2,creat,truncate,ftruncate,fallocate,write,pwrite64"
fi

# Where the file was opened to be written, or any other than the terminal was written to.
opened_for_writing()
{
	[ -n "$trace" ] && grep -E 'O_WRONLY|O_RDWR|O_CREAT|truncate|fallocate|creat\(' "$scratch/trace" |
		grep -vE '/dev/(null|tty|urandom)|"/proc/|"/sys/'
}

# refuse NAME WORD... -- ARGUMENTS: each word is in the message.
refuse()
{
	local name=$1 words=() word code before after
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	before=$(stat -c '%s %Y %Z %i' "$file" && cksum <"$file")
	if [ -n "$trace" ]; then
		$trace -o "$scratch/trace" iobench run "$@" >"$scratch/out" 2>"$scratch/err"
	else
		iobench run "$@" >"$scratch/out" 2>"$scratch/err"
	fi
	code=$?
	printf '%-34s %s\n' "$name" "$(head -n 1 "$scratch/err")"
	[ $code = 2 ] || complain "$name: exit $code, not 2"
	[ ! -s "$scratch/out" ] || complain "$name: it printed a report"
	[ "$(wc -l <"$scratch/err")" -le 2 ] || complain "$name: more than a message: $(cat "$scratch/err")"
	for word in "${words[@]}"; do
		# A parameter is spelled with - or _.
		tr _ - <"$scratch/err" | grep -qF -- "${word//_/-}" ||
			complain "$name: \"$word\" is not in the message"
	done
	opened_for_writing && complain "$name: something was opened for writing"
	after=$(stat -c '%s %Y %Z %i' "$file" && cksum <"$file")
	[ "$before" = "$after" ] || complain "$name: the target changed"
}

write="--read-percent 0 --allow-destroy"
refuse "block 0" block_size 0 -- --target "$file" $write --block-size 0
refuse "block past the region" block_size 2097152 1048576 -- --target "$file" $write --block-size 2m
refuse "block past a small region" block_size 65536 32768 -- \
	--target "$file" $write --block-size 64k --size 32k
refuse "block unaligned" block_size 4100 512 -- --target "$file" $write --block-size 4100
refuse "offset unaligned" offset 100 512 -- --target "$file" $write --offset 100
refuse "offset past the target" offset 2097152 1048576 -- --target "$file" $write --offset 2m
refuse "read_percent 101" read_percent 101 100 -- --target "$file" $write --read-percent 101
refuse "read_percent -1" read_percent -1 -- --target "$file" $write --read-percent=-1
refuse "trim_percent 101" trim_percent 101 -- --target "$file" $write --trim-percent 101
refuse "unknown parameter" blok_size block_size -- --target "$file" $write --blok-size 8k
refuse "size 4.5k" size 4.5k -- --target "$file" $write --size 4.5k
refuse "block 4.5k" block_size 4.5k -- --target "$file" $write --block-size 4.5k
refuse "size 10x" size 10x -- --target "$file" $write --size 10x
refuse "runtime 10x" runtime 10x -- --target "$file" $write --runtime 10x
refuse "a negative size" size -1 -- --target "$file" $write --size=-1
refuse "a size past 64 bits" size 99999999999999999999 -- \
	--target "$file" $write --size 99999999999999999999
refuse "an empty value" size -- --target "$file" $write --size ""
refuse "missing target" "$scratch/missing" "no such file" -- --target "$scratch/missing" $write
refuse "directory" "$scratch" directory -- --target "$scratch" $write
refuse "no target" target --  --read-percent 100
refuse "no allow-destroy" "$file" allow_destroy -- --target "$file" --read-percent 0
refuse "no allow-destroy, a mix" "$file" allow_destroy -- --target "$file" --read-percent 99
refuse "no allow-destroy, trim" "$file" allow_destroy -- --target "$file" --trim-percent 1
refuse "workers 0" workers 0 -- --target "$file" $write --workers 0
refuse "depth 0" queue_depth 0 -- --target "$file" $write --queue-depth 0
refuse "depth 40000 on io_uring" queue_depth 40000 32768 -- \
	--target "$file" $write --engine io_uring --queue-depth 40000
refuse "an engine that is not built" engine spdk io_uring psync -- \
	--target "$file" $write --engine spdk
refuse "mmap with direct" direct mmap -- --target "$file" $write --engine mmap
refuse "more workers than blocks" workers 16 -- \
	--target "$file" $write --pattern sequential --workers 16 --size 60k
refuse "a mix of 90 %" block_size 4k:50,8k:40 100 -- \
	--target "$file" $write --block-size 4k:50,8k:40
refuse "a pattern that is no hex" buffer pattern:xyz -- \
	--target "$file" $write --buffer pattern:xyz
search="--target $file --runtime 1s --latency-target"
refuse "a percentile over 100" latency-target p101 100 -- $search p101=1ms
refuse "a latency of 1 ns" latency-target "1 ns" clock -- $search p99=1ns
refuse "a latency target without a limit" latency-target p99 p99=1ms -- $search p99
refuse "a search of writes" allow-destroy -- $search p99=1ms --read-percent 50
refuse "a search by io_size" io-size runtime -- $search p99=1ms --io-size 1m
refuse "a search from 0" search-low '"0"' 1 -- $search p99=1ms --search-low 0
refuse "a search from below 0" search-low -5 1 -- $search p99=1ms --search-low=-5
refuse "a search over a word" search-over workers queue_depth -- $search p99=1ms --search-over workers
refuse "a search of a rate of bytes" rate_bytes rate_iops -- \
	$search p99=1ms --arrival fixed --rate-bytes 1MB/s
refuse "a search without a target" search-high latency-target -- --target "$file" --search-high 5
iobench matrix --target "$file" --queue-depth 1,2 --latency-target p99=1ms >"$scratch/out" 2>"$scratch/err"
[ $? = 2 ] && [ ! -s "$scratch/out" ] && grep -q "latency-target: a search is of one workload" "$scratch/err" ||
	complain "a search in a matrix: $(cat "$scratch/err")"
refuse "a stray word" "$file" -- "$file" $write
refuse "an unknown format" format yaml json -- --target "$file" $write --format yaml
[ ! -e "$scratch/missing" ] || complain "the missing target was made"

# On block devices, which need root.
if [ "$(id -u)" = 0 ] && read -r loop _ < <(testdev loop 16m 4096 2>/dev/null) && [ -n "$loop" ]; then
	refuse "block under 4096 sectors" block_size 512 4096 -- --target "$loop" $write --block-size 512
	refuse "offset under 4096 sectors" offset 512 4096 -- --target "$loop" $write --offset 512
	read -r dir backing < <(testdev ext4 16m)
	mounted=$(findmnt -no SOURCE "$dir")
	refuse "mounted device" "$mounted" mounted "$dir" -- --target "$mounted" $write \
		--overwrite-signature
	mkfs.ext4 -q -F "$loop"
	refuse "a file system's signature" "$loop" ext4 overwrite_signature -- --target "$loop" $write
else
	echo "without root, no block devices were tried"
fi
exit $failed
