#!/bin/bash
# SPDX-License-Identifier: MIT
# Preconditioning and the tests of SNIA PTS on loop devices, scaled down: exactly twice the region is
# written, by the device's own counters; without --allow-destroy nothing is. ctest: timeout=300
. "$IOBENCH_SOURCE/tests/support/device.sh"
[ "$(id -u)" = 0 ] || skip "root is needed"
command -v jq >/dev/null || skip "jq is needed"

# Bytes that a device wrote: field 7 of its stat, in sectors.
written()
{
	local sectors
	read -r _ _ _ _ _ _ sectors _ <"/sys/block/${1#/dev/}/stat"
	echo $((sectors * 512))
}
# check NAME FILTER FILE: a jq filter that must hold.
check()
{
	jq -e "$2" "$3" >/dev/null || complain "$1: not $2: $(jq -c '.rounds' "$3" | cut -c 1-600)"
}

# ---- what it overwrites is asked for ----
size=$((16 * 1024 * 1024 + 40 * 1024)) # no multiple of 128 KiB
read -r device file < <(testdev loop $size) && [ -n "$device" ] || skip "no loop device"
head -c $size /dev/urandom >"$file"
sync "$file"
before=$(cksum <"$file")
for command in precondition "pts iops" "pts throughput" "pts latency"; do
	for flags in "" --overwrite-signature; do
		count=$(written "$device")
		iobench $command --target "$device" $flags >"$scratch/out" 2>"$scratch/err"
		code=$?
		[ $code = 2 ] || complain "$command without --allow-destroy: exit $code, not 2"
		grep -q -- --allow-destroy "$scratch/err" || complain "$command: it does not name the option"
		[ ! -s "$scratch/out" ] || complain "$command: it printed a report"
		[ "$(written "$device")" = "$count" ] || complain "$command: it wrote"
	done
done
sync "$file"
[ "$before" = "$(cksum <"$file")" ] || complain "without --allow-destroy the device changed"

# ---- precondition: twice the region, whatever its size ----
# twice NAME BYTES ARGUMENTS
twice()
{
	local name=$1 bytes=$2 count
	shift 2
	count=$(written "$device")
	iobench precondition --target "$device" --allow-destroy "$@" >"$scratch/out" 2>"$scratch/err" ||
		complain "precondition $name: exit $?: $(cat "$scratch/err")"
	count=$(($(written "$device") - count))
	echo "precondition $name: $bytes bytes twice are $((2 * bytes)), the device wrote $count"
	[ $count = $((2 * bytes)) ] || complain "precondition $name: $count bytes, not $((2 * bytes))"
	grep -q "^preconditioned \"$device\": $((2 * bytes)) bytes in " "$scratch/out" ||
		complain "precondition $name: it does not say what it wrote: $(tail -n 2 "$scratch/out")"
}
twice "of all" $size
[ "$before" != "$(cksum <"$file")" ] || complain "precondition changed nothing"
twice "of a region" $((1024 * 1024 + 512)) --offset 512k --size $((1024 * 1024 + 512)) --engine psync
twice "of less than a block" 4096 --size 4k
head -c 4096 "$file" >"$scratch/head"
twice "of the rest" $((size - 4096)) --offset 4k
cmp -s -n 4096 "$scratch/head" "$file" || complain "precondition wrote before its offset"

# ---- the tests, with limits that anything meets ----
loose="--steady-excursion 100000 --steady-slope 100000 --rounds 5"
iobench pts latency --target "$device" --allow-destroy --runtime 100ms $loose --format json,text \
	--purge "none, it is a loop device" --output "$scratch/latency" 2>"$scratch/err" ||
	complain "pts latency: exit $?: $(cat "$scratch/err")"
report=$scratch/latency.json
check latency '.rounds | .steady and .done == 5 and .metric == "latency" and .once == 2' "$report"
check latency '[.rounds.cells[].name] | length == 9 and .[0] == "read_percent=100 block_size=8k"' "$report"
check latency '[.rounds.cells[] | select(.tracked).name] == ["read_percent=0 block_size=4k"]' "$report"
check latency '.rounds.notes | index("purge: none, it is a loop device") != null' "$report"
check latency '[.stages[2:][].workloads[].effective | .workers == 1 and .queue_depth == 1] | all' "$report"
check latency '.stages | length == 2 + 5 * 9' "$report"
grep -q '^STEADY   at round 5; results are means over rounds 1 to 5' "$scratch/latency.text" ||
	complain "pts latency: no verdict"
grep -qE '^ +4k +[0-9.]+ [a-z]+ +[0-9.]+ [a-z]+ +[0-9.]+ [a-z]+$' "$scratch/latency.text" ||
	complain "pts latency: no matrix: $(head -n 40 "$scratch/latency.text")"

iobench pts throughput --target "$device" --allow-destroy --no-precondition --runtime 20ms $loose \
	--format json >"$scratch/throughput" 2>"$scratch/err" || complain "pts throughput: exit $?"
check throughput '.rounds | .metric == "bandwidth" and .once == 0 and (.cells | length) == 2' "$scratch/throughput"
check throughput '.rounds.notes | index("purge: not done by iobench") and index("precondition: not done by iobench")' "$scratch/throughput"
check throughput '[.stages[].workloads[].params | .pattern == "sequential" and .block_size == "1m"] | all' "$scratch/throughput"

# A device of 4096 byte blocks: the cells of 0.5 KiB are left out, and that is said.
read -r device file < <(testdev loop 16m 4096) && [ -n "$device" ] || { complain "no second device"; exit $failed; }
iobench pts iops --target "$device" --allow-destroy --runtime 10ms $loose --format json \
	>"$scratch/iops" 2>"$scratch/err" || complain "pts iops: exit $?: $(cat "$scratch/err")"
grep -q "left out: blocks of 512, as \"$device\" needs multiples of 4k" "$scratch/err" ||
	complain "pts iops: it does not say what is left out: $(cat "$scratch/err")"
check iops '.rounds | (.cells | length) == 49 and .metric == "iops"' "$scratch/iops"
check iops '[.rounds.cells[] | select(.tracked).name] == ["read_percent=100 block_size=1m", "read_percent=65 block_size=64k", "read_percent=0 block_size=4k"]' "$scratch/iops"
check iops '.rounds.notes | map(select(startswith("left out"))) | length == 1' "$scratch/iops"

# Never steady: said on stderr and in the report; --strict exits 3.
iobench pts latency --target "$device" --allow-destroy --no-precondition --runtime 10ms --rounds 5 \
	--block-sizes 4k --steady-excursion 0 --steady-slope 0 --strict >"$scratch/out" 2>"$scratch/err"
code=$?
[ $code = 3 ] || complain "never steady: exit $code with --strict, not 3"
grep -q 'steady state was not achieved in 5 rounds' "$scratch/err" || complain "never steady: not on stderr"
grep -q '^NOT STEADY  steady state was not achieved in 5 rounds; results are means over rounds 1 to 5$' \
	"$scratch/out" || complain "never steady: not in the report"
grep -q '^invalid  steady-state-not-achieved: ' "$scratch/out" || complain "never steady: no finding"
exit $failed
