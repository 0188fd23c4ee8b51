#!/bin/bash
# SPDX-License-Identifier: MIT
# Ctrl-C in a long run: the partial report at once, with what is unfinished, and exit 130; also
# while the kernel holds 256 reads on a device of 100 IOPS. ctest: serial
. "$IOBENCH_SOURCE/tests/support/device.sh"
# 200 ms are promised; a busy machine gets some more.
limit_ms=${IOBENCH_INTERRUPT_MS:-1000}
[ -z "$IOBENCH_SANITIZE" ] || limit_ms=$((limit_ms * 4))

now_ms()
{
	echo $(($(date +%s%N) / 1000000))
}

# interrupt NAME SIGNAL HELD ARGUMENTS: HELD I/Os at the least are unfinished in the report.
interrupt()
{
	local name=$1 signal=$2 held=$3 report="$scratch/report" pid start took code
	shift 3
	rm -f "$report"
	(
		[ -z "$throttled" ] || testdev throttle "$throttled" 100 100 $BASHPID || exit 99
		exec iobench run "$@" --runtime 60s --format json >"$report" 2>"$scratch/err"
	) &
	pid=$!
	sleep 1.5
	kill -0 $pid 2>/dev/null || { complain "$name: ended early: $(cat "$scratch/err")"; return; }
	start=$(now_ms)
	kill -"$signal" $pid
	until jq -e . "$report" >/dev/null 2>&1; do
		took=$(($(now_ms) - start))
		[ $took -lt 5000 ] || { complain "$name: no report after $took ms"; break; }
	done
	took=$(($(now_ms) - start))
	wait $pid
	code=$?
	echo "$name: report after $took ms, exit $code after $(($(now_ms) - start)) ms: $(tail -n 1 "$scratch/err")"
	[ $code = 130 ] || complain "$name: exit $code, not 130"
	[ $took -le $limit_ms ] || complain "$name: the report took $took ms"
	jq -e '.iobench.flags // .flags | index("cancelled") or index("partial")' "$report" >/dev/null ||
		complain "$name: the report does not say that it is partial"
	jq -e '[.stages[].workloads[].read.ios] | add > 50' "$report" >/dev/null ||
		complain "$name: what was measured is not in the report"
	if [ "$held" -gt 0 ]; then
		jq -e --argjson held "$held" '[.. | .unfinished? // empty] | max >= $held' "$report" >/dev/null ||
			complain "$name: the report does not tell what is unfinished"
		grep -q "kernel" "$scratch/err" || complain "$name: nor does the message"
	fi
}

throttled=
head -c 4194304 /dev/urandom >"$scratch/file"
interrupt "null engine" INT 0 --engine null --size 1g
interrupt "a file, psync" INT 0 --target "$scratch/file" --engine psync --workers 2
interrupt "a file, by SIGTERM" TERM 0 --target "$scratch/file" --queue-depth 8

# A search: the steps so far, and that it is not finished.
iobench run --engine null --size 1g --runtime 300ms --latency-target p99=10s --format json \
	>"$scratch/search" 2>"$scratch/err" &
sleep 1.2
kill -INT $!
wait $!
code=$?
[ $code = 130 ] || complain "a search: exit $code, not 130: $(cat "$scratch/err")"
jq -e '.search.answer == "unfinished" and .search.held >= 1 and (.stages | length) >= 2' \
	"$scratch/search" >/dev/null || complain "a search: its steps are not in the report"

[ "$(id -u)" = 0 ] || { echo "without root, no device was throttled"; exit $failed; }
read -r throttled _ < <(testdev loop 64m 2>/dev/null)
if [ -z "$throttled" ] || ! (testdev throttle "$throttled" 100 100 $BASHPID); then
	echo "without a throttled device"
	exit $failed
fi
interrupt "256 reads held, io_uring" INT 50 --target "$throttled" --engine io_uring --queue-depth 256
interrupt "256 reads held, libaio" INT 50 --target "$throttled" --engine libaio --queue-depth 256
interrupt "16 workers held, psync" INT 1 --target "$throttled" --engine psync --workers 16
exit $failed
