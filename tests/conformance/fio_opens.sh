#!/bin/bash
# SPDX-License-Identifier: MIT
# Reading jobs opens the job files and what they include, and no target: by strace, of tests/fio and
# of IOBENCH_FIO_JOBS or ../shared/fio-jobs where that is there. ctest: nosan timeout=300
set -u
dir=$(mktemp -d "${TMPDIR:-/tmp}/iobench-opens.XXXXXX")
trap 'rm -rf "$dir"' EXIT
if ! strace -f -e trace=openat -o "$dir/trace" true 2>/dev/null; then
	echo "skipped: strace does not work here"
	exit 77
fi
failed=0 files=0
export dir
# What the program itself needs: libraries, its locale; of devices their size.
own='^/(usr|lib|lib64|etc/ld|etc/locale|proc|sys/dev/block|sys/devices/system/cpu)|\.so(\.|$)|/locale/'

# one JOBFILE: the paths that were opened, made or removed
one()
{
	local trace
	trace=$(mktemp "$dir/trace.XXXXXX")
	for name in $(grep -o '\${[A-Za-z_0-9]*}' "$1" | tr -d '${}'); do export "$name=4"; done
	strace -f -qq -o "$trace" \
		-e trace=open,openat,openat2,creat,truncate,unlink,unlinkat,mkdir,mknodat,rename,execve \
		iobench fio --allow-destroy --parse-only "$1" >/dev/null 2>&1
	grep -v 'execve("[^"]*iobench"' "$trace" | grep -o '"[^"]*"' | tr -d '"' | sort -u
	rm -f "$trace"
}

# all FOLDER: of each job file
all()
{
	local file path
	cd "$1" || return
	for file in *.fio; do
		files=$((files + 1))
		while read -r path; do
			[[ $path =~ $own ]] && continue
			[ "$path" = "$file" ] && continue
			grep -qE "^[[:space:]]*include[[:space:]]+$path[[:space:]]*$" "$file" parts/* 2>/dev/null && continue
			[ -e "$path" ] && [[ $path = parts/* ]] && continue # included by what is included
			echo "FAILED: $file: $path was opened"
			failed=1
		done < <(one "$file")
	done
	cd - >/dev/null || exit 1
}

# What would be seen if it happened.
printf '[a]\nfilename=%s/target\n' "$dir" >"$dir/seen.fio"
head -c 4096 /dev/zero >"$dir/target"
strace -f -qq -o "$dir/run" -e trace=open,openat,openat2 iobench fio "$dir/seen.fio" >/dev/null 2>&1
grep -q "$dir/target" "$dir/run" || { echo "FAILED: strace does not see a target that is opened"; failed=1; }

all "$IOBENCH_SOURCE/tests/fio"
jobs=${IOBENCH_FIO_JOBS:-$IOBENCH_SOURCE/../shared/fio-jobs}
[ ! -e "$jobs/index.tsv" ] || all "$jobs"
echo "$files job files"
[ $files -gt 100 ] || { echo "FAILED: too few"; failed=1; }
exit $failed
