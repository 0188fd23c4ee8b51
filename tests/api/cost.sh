#!/bin/bash
# SPDX-License-Identifier: MIT
# The hot path stays cheap: user instructions per I/O, counted by callgrind, are within the goals
# of tests/bench/cost.py; also printed by function, by source function where the build has -g.
# ctest: serial nosan timeout=240
set -u
type=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$IOBENCH_BUILD/CMakeCache.txt")
case $type in
'' | Release | RelWithDebInfo) ;;
*) echo "skipped: a $type build, the goals are for Release"; exit 77 ;;
esac
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the goals are for x86_64"; exit 77; }
. "$IOBENCH_SOURCE/tests/support/device.sh"

# Not tmpfs: io_uring hands its reads to other threads.
if made=$(testdev ext4 64m 2>/dev/null); then
	dir=${made%% *}
else
	dir=$scratch
fi
head -c 1M /dev/urandom >"$dir/cached" || exit 1
sync "$dir/cached"
exec /usr/bin/python3 -B "$IOBENCH_SOURCE/tests/bench/cost.py" "$(command -v iobench)" \
	"$dir/cached" --check
