#!/bin/bash
# SPDX-License-Identifier: MIT
# Each example in C does what it says.
set -u
export LC_ALL=C
tmp=$(mktemp -d -p "$IOBENCH_BUILD" examples.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
examples=$IOBENCH_BUILD/examples
failed=0
complain()
{
	echo "FAILED: $1"
	failed=1
}
head -c 16M /dev/urandom >"$tmp/file"
sync "$tmp/file"
if ! dd if="$tmp/file" iflag=direct of=/dev/null bs=1M count=1 status=none 2>/dev/null; then
	echo "skipped: the file system of $tmp has no O_DIRECT"
	exit 77
fi

out=$("$examples/hello" "$tmp/file") || complain "hello: exit $?"
[[ $out =~ ^([0-9]+)\ reads\ a\ second,\ 99\ %\ of\ them\ within\ ([0-9]+)\ us$ ]] &&
	[ "${BASH_REMATCH[1]}" -gt 10 ] && [ "${BASH_REMATCH[2]}" -gt 0 ] || complain "hello: $out"

out=$("$examples/matrix" "$tmp/file") || complain "matrix: exit $?"
diff <(awk 'NR > 1 { print $1, $2 }' <<<"$out") - <<-END || complain "matrix: $out"
	4k 1
	4k 8
	16k 1
	16k 8
	64k 1
	64k 8
END
awk 'NR > 1 { size = $1 * 1024; off = $3 * size / 1e6 / $4
	if ($3 <= 0 || $5 <= 0 || ($4 >= 20 && (off < 0.95 || off > 1.05))) exit 1 }' <<<"$out" ||
	complain "matrix: IOPS x block is not MB/s: $out"

out=$("$examples/histogram" "$tmp/file") || complain "histogram: exit $?"
[ "$(awk '{ n += $4 } END { print n }' <<<"$out")" = 20000 ] || complain "histogram: $out"

out=$("$examples/latency_target" "$tmp/file" mean=50ms) || complain "latency_target: exit $?"
[[ $out =~ ^closed\ loop\ +[0-9]+\ IOPS\ +[0-9]+\ us$'\n'rate_iops=[0-9]+\ .*$'\n'([0-9]+\ a\ second|none)$ ]] ||
	complain "latency_target: $out"

out=$("$examples/own_engine") || complain "own_engine: exit $?"
[[ $out =~ ^engine\ slow:\ ([0-9]+)\ IOPS,\ mean\ ([0-9.]+)\ ms$ ]] || complain "own_engine: $out"
awk -v iops="${BASH_REMATCH[1]}" -v ms="${BASH_REMATCH[2]}" 'BEGIN {
	exit !(iops > 300 && iops <= 1000 && ms >= 1 && iops * ms > 950 && iops * ms <= 1001) }' ||
	complain "own_engine: $out"

printf '[global]\nfilename=%s\ndirect=1\nruntime=200ms\ntime_based\n[seq]\nbs=64k\n[rand]\nstonewall\n' \
	"$tmp/file" >"$tmp/jobs.fio"
printf 'rw=randread\nthread\n' >>"$tmp/jobs.fio"
out=$("$examples/fio_job" "$tmp/jobs.fio" 2>"$tmp/err") || complain "fio_job: exit $?"
[[ $out =~ ^seq\ +[0-9]+\ IOPS\ .*$'\n'rand\ +[0-9]+\ IOPS\  ]] || complain "fio_job: $out"
grep -q "jobs.fio:11: thread has no effect" "$tmp/err" || complain "fio_job: $(cat "$tmp/err")"
printf 'rw=write\n' >>"$tmp/jobs.fio"
"$examples/fio_job" "$tmp/jobs.fio" >/dev/null 2>"$tmp/err" && complain "fio_job wrote"
grep -q 'ALLOW_DESTROY' "$tmp/err" || complain "fio_job: $(cat "$tmp/err")"

out=$(TARGET=$tmp/file RUNTIME=0.3 LIMIT_US=10000000 "$examples/harness") || complain "harness: exit $?"
[ "$out" = "1..2
ok 1 - no I/O failed
ok 2 - p99 in time" ] || complain "harness: $out"
out=$(TARGET=$tmp/file RUNTIME=0.3 LIMIT_US=0.001 "$examples/harness") && complain "harness: exit 0"
grep -q '^not ok 2 - p99 in time' <<<"$out" && grep -q '^# .*IOPS' <<<"$out" || complain "harness: $out"
[ -z "$(grep -v '^# \|^\(not \)\?ok \|^1\.\.2' <<<"$out")" ] || complain "harness is no TAP: $out"
out=$(TARGET=$tmp/nowhere "$examples/harness") && complain "harness nowhere: exit 0"
grep -q '^Bail out! target: .*nowhere' <<<"$out" || complain "harness nowhere: $out"
[ "$(TARGET='' "$examples/harness")" = "1..0 # SKIP TARGET names no file or device" ] || complain "harness: not skipped"

out=$("$examples/open_loop" "$tmp/file" 200) || complain "open_loop: exit $?"
[[ $out =~ ^closed\ +[0-9]+\ a\ second,\ p99:\ service\ +[0-9]+\ us,\ response\ +[0-9]+\ us$'\n'open\ +[0-9]+\ a\  ]] ||
	complain "open_loop: $out"
out=$("$examples/open_loop" "$tmp/file" 1000000) || complain "open_loop 1000000: exit $?"
grep -q " more were due and never started" <<<"$out" || complain "open_loop 1000000: $out"

for name in hello matrix histogram latency_target open_loop; do
	err=$("$examples/$name" "$tmp/nowhere" 2>&1) && complain "$name nowhere: exit 0"
	grep -q "^$name: .*nowhere" <<<"$err" || complain "$name nowhere: $err"
done
for source in "$IOBENCH_SOURCE"/examples/c/*.c; do
	[ "$(wc -l <"$source")" -lt 60 ] || complain "$source has 60 lines or more"
	[ -x "$examples/$(basename "$source" .c)" ] || complain "$source was not built"
done
exit $failed
