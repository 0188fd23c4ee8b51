#!/bin/bash
# SPDX-License-Identifier: MIT
# What is written is as small as was asked: read back by a real compressor and a real hasher.
# ctest: timeout=240
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/iobench-data.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
measure='
import hashlib, lzma, sys, zlib
data = open(sys.argv[1], "rb").read()
unit = int(sys.argv[2])
units = [data[i:i + unit] for i in range(0, len(data), unit)]
alike = 1 - len({hashlib.md5(u).digest() for u in units}) / len(units)
saved = 1 - len(zlib.compress(data, 6)) / len(data)
each = 1 - sum(min(unit, len(zlib.compress(u, 1))) for u in units) / len(data)
print(round(100 * alike, 2), round(100 * saved, 2), round(100 * each, 2))
'
# check SAVED ALIKE BLOCK PARAMETERS...: percents, 2 points either way
check()
{
	local saved=$1 alike=$2 block=$3
	shift 3
	rm -f "$dir/f"
	iobench run --target "$dir/f" --create --allow-destroy --size 32m --read-percent 0 \
		--passes 1 --runtime 0 --direct false --block-size "$block" "$@" \
		--format json --output "$dir/out" || { echo "FAILED: $*"; failed=1; return; }
	judge "$saved" "$alike" "$block" "$@"
}
# The same of a job of fio.
check_fio()
{
	local saved=$1 alike=$2 block=$3
	shift 3
	rm -f "$dir/f"
	iobench fio --name=w --filename="$dir/f" --allow-destroy --size=32m --rw=write --bs="$block" "$@" \
		--output-format=iobench-json --output="$dir/out" 2>"$dir/err" ||
		{ echo "FAILED: $*: $(cat "$dir/err")"; failed=1; return; }
	judge "$saved" "$alike" "$block" "$@"
}
judge()
{
	local saved=$1 alike=$2 block=$3 is
	shift 3
	is=$(python3 -c "$measure" "$dir/f" "$(numfmt --from=iec "${block^^}")")
	echo "asked saved=$saved alike=$alike block=$block ($*): alike, saved, saved in each: $is"
	awk -v s="$saved" -v a="$alike" '{
		bad = $1 < a - 2 || $1 > a + 2
		if (s != "") bad = bad || $2 < s - 2 || $2 > s + 2 || $3 < s - 2 || $3 > s + 2
		exit bad }' <<<"$is" || { echo "FAILED: off by more than 2 points"; failed=1; }
}

check 0 0 4k
for percent in 10 50 90 100; do
	[ $percent = 100 ] && alike=100 || alike=0 # all zeros are alike
	check $percent $alike 4k --compress-percent $percent
done
check 30 0 64k --compress-percent 30 --workers 4 --queue-depth 8
check 50 0 8k --compress-percent 50 --compress-chunk 1k
check 50 0 16k --compress-percent 50 --compress-chunk 64k
for percent in 10 50 90; do
	check "" $percent 4k --dedupe-percent $percent
done
check "" 25 64k --dedupe-percent 25 --workers 4 --queue-depth 4
check_fio 0 0 4k
check_fio 50 0 4k --buffer_compress_percentage=50
check_fio 50 0 64k --buffer_compress_percentage=50 --buffer_compress_chunk=0 --rw=randwrite --ioengine=libaio --iodepth=8
check_fio 80 0 16k --buffer_compress_percentage=80 --buffer_compress_chunk=4k --refill_buffers --numjobs=1
check_fio "" 30 8k --dedupe_percentage=30
check "" 40 8k --dedupe-percent 40 --compress-percent 60 --pattern sequential
exit $failed
