#!/bin/bash
# SPDX-License-Identifier: MIT
# Reading a file leaves its time of last access alone, with every engine; where that is not the
# user's to ask for, it is read all the same.
set -u
dir=$(mktemp -d "${TMPDIR:-/tmp}/iobench-atime.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
chmod 755 "$dir"
head -c 1M /dev/urandom >"$dir/f"
chmod 644 "$dir/f"
touch -a -d '2001-01-01 UTC' "$dir/f" # before the time of change: relatime would set it
atime() { stat -c %X "$dir/f"; }
before=$(atime)

for engine in psync io_uring libaio posixaio mmap; do
	iobench engines | awk -v e="$engine" '$1 == e && $2 == "no" { exit 1 }' || continue
	iobench run --engine "$engine" --target "$dir/f" --direct false --io-size 64k --runtime 0 \
		>/dev/null || { echo "FAILED: $engine"; failed=1; }
	[ "$(atime)" = "$before" ] || { echo "FAILED: $engine: the file's atime changed"; failed=1; }
done

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp -L "$(command -v iobench)" "$dir/iobench"
	LD_LIBRARY_PATH=$IOBENCH_BUILD/lib setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$dir/iobench" run --engine psync --target "$dir/f" --direct false --io-size 64k \
		--runtime 0 >/dev/null 2>"$dir/err" ||
		grep -q 'shared librar' "$dir/err" || # the build tree is root's alone
		{ echo "FAILED: another user: $(cat "$dir/err")"; failed=1; }
fi
exit $failed
