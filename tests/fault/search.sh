#!/bin/bash
# SPDX-License-Identifier: MIT
# What a search of the tool's ends with: 0 found or everything holds, 4 nothing holds, with the steps
# in every format. ctest: serial
. "$IOBENCH_SOURCE/tests/support/device.sh"
base="--engine null --size 1g --runtime 200ms --progress never"

iobench run $base --latency-target p99=10s --search-high 4 --format text,json,csv,xdisk \
	--output "$scratch/found" || complain "everything holds: exit $?"
grep -q "everything holds: even queue_depth 4, the highest that may be tried, does" \
	"$scratch/found.text" || complain "text: $(cat "$scratch/found.text")"
[ "$(grep -cE '^ +[124] +[0-9.,]+ .*holds' "$scratch/found.text")" = 3 ] || complain "text: not three steps"
jq -e '.search.answer == "everything holds" and .search.held == 4 and .search.missed == null and
	[.search.steps[].value] == [1, 2, 4] and [.stages[].name] ==
	["queue_depth=1", "queue_depth=2", "queue_depth=4"]' "$scratch/found.json" >/dev/null ||
	complain "json: $(jq .search "$scratch/found.json")"
[ "$(cut -d, -f1 "$scratch/found.csv" | grep -c queue_depth=4)" = 2 ] || complain "csv: $(cat "$scratch/found.csv")"
grep -q ',search_value,search_attempt,search_verdict,' "$scratch/found.csv" || complain "csv: no verdicts"
[ "$(wc -l <"$scratch/found.xdisk")" -ge 3 ] || complain "xdisk: $(cat "$scratch/found.xdisk")"

# No workload of a run that is no search has any of it.
iobench run $base --format json,csv --output "$scratch/plain"
grep -q search "$scratch/plain.json" "$scratch/plain.csv" && complain "a search that was none"

iobench run $base --latency-target max=1us --search-low 512 --search-high 512 >"$scratch/out"
code=$?
[ $code = 4 ] || complain "nothing holds: exit $code"
grep -q "nothing holds: even queue_depth 512, the lowest that may be tried, does not" "$scratch/out" ||
	complain "nothing holds: $(cat "$scratch/out")"

# What was found is read back.
iobench check "$scratch/found.json" >"$scratch/out" 2>&1 || complain "check: $(cat "$scratch/out")"
exit $failed
