#!/bin/bash
# SPDX-License-Identifier: MIT
# The tool's rounds: --until-steady with run and matrix, its reports, its refusals, and Ctrl-C. On the
# null engine, with limits that any load meets, or none.
. "$IOBENCH_SOURCE/tests/support/tool.sh"
null=(--engine null --size 1g --runtime 100ms)
loose=(--steady-excursion 1e5 --steady-slope '100000%')

expect 0 '' run "${null[@]}" "${loose[@]}" --until-steady bandwidth --steady-window 3
on_stdout '^rounds   3 of at most 25, by MB/s; steady: over 3 rounds within 100000 % of the average'
on_stdout '^STEADY   at round 3; results are means over rounds 1 to 3$'
[ ! -s err ] || complain "something on stderr: $(cat err)"

expect 0 'steady state was not achieved in 4 rounds' matrix "${null[@]}" --until-steady iops \
	--rounds 4 --steady-window 2 --steady-excursion 0 --steady-slope 0 --block-size 4k,8k --read-percent 100,0 \
	--steady-track 'block_size=4k read_percent=0' --format text,json,csv --output r
cp r.text out
on_stdout '^NOT STEADY  steady state was not achieved in 4 rounds; results are means over rounds 3 to 4$'
on_stdout '^invalid  steady-state-not-achieved: .* 1 of 1 tracked cells are not steady'
on_stdout '^  block +100/0 +0/100$'
[ "$(grep -cE '^ +[1-4] +[*]? +[0-9,]+$' r.text)" = 4 ] || complain "not a line for each round: $(cat r.text)"
# All rows have as many fields as the head; a row for each round, and the means.
awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || n < 36 }' r.csv || complain "csv: fields"
# A worker that had no core for a stage did nothing in it: the rows of all I/O are there in any case.
[ "$(grep -cE ',all,.*,3-4,no$' r.csv)" = 4 ] || complain "csv: no rows of means: $(cat r.csv)"
[ "$(grep -cE ',all,.*,4,$' r.csv)" = 4 ] || complain "csv: no rows of round 4"
if command -v jq >/dev/null; then
	jq -e '.rounds | .steady == false and .steady_at == null and .done == 4 and .first == 3 and
		([.cells[].tracked] == [false, true, false, false]) and (.cells[1].values | length) == 4 and
		.cells[0].read.iops > 0 and .cells[0].write.iops == null' r.json >/dev/null ||
		complain "json: $(jq -c .rounds r.json)"
	jq -e '.stages | length == 16' r.json >/dev/null || complain "json: not all stages"
fi
expect 0 '' check r.json

expect 0 '' pts --help && on_stdout '^  --purge TEXT' && on_stdout '^  --rounds N'
expect 0 '' precondition --help && on_stdout '^usage: iobench precondition --target'

# ---- refused ----
expect 2 '--until-steady: "speed" is none of iops, bandwidth, latency' run "${null[@]}" --until-steady speed
expect 2 '--rounds: it is for rounds; add --until-steady' run "${null[@]}" --rounds 3
expect 2 '--rounds: "0" is no number of rounds' run "${null[@]}" --until-steady iops --rounds 0
expect 2 '--rounds: "-3" is no number' run "${null[@]}" --until-steady iops --rounds -3
expect 2 'max_rounds: 3 rounds are less than the window, which has 5' run "${null[@]}" --until-steady iops --rounds 3
expect 2 'window: 1 rounds are no window; it can have 2 to 1000' run "${null[@]}" --until-steady iops --steady-window 1
expect 2 '--steady-excursion: "-1" is no percentage' run "${null[@]}" --until-steady iops --steady-excursion -1
expect 2 '--steady-slope: "nan" is no percentage' run "${null[@]}" --until-steady iops --steady-slope nan
expect 2 'there is no cell "block_size=4m"; did you mean "block_size=4k"' matrix "${null[@]}" \
	--until-steady iops --block-size 4k,8k --steady-track block_size=4m
expect 2 'exclude one another' run "${null[@]}" --until-steady iops --latency-target p99=1ms
expect 2 'unknown option --until-steady' precondition --until-steady iops
expect 2 'pts: name a test' pts
expect 2 'pts: "iop" is no test; there are iops, throughput and latency' pts iop
expect 2 '--block_size: this command sets it itself' pts iops --block-size 4k
expect 2 '--queue_depth: this command sets it itself' pts latency --queue-depth 4
expect 2 '--passes: this command sets it itself' precondition --passes 3
expect 2 'precondition: it overwrites its targets; nothing was touched' precondition --target nowhere
expect 2 'nowhere.*no such file' precondition --target nowhere --allow-destroy
expect 2 'block_sizes: "8k" has none of the cells that are tracked; the latency test tracks 4k' \
	pts latency --engine null --size 1g --allow-destroy --block-sizes 8k
expect 2 'no target' precondition --allow-destroy

# ---- Ctrl-C: the rounds so far ----
iobench run --engine null --size 1g --runtime 200ms --until-steady iops --steady-excursion 0 --steady-slope 0 \
	--rounds 1000 --format json >out 2>err &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || complain "interrupted: exit $code, not 130: $(cat err)"
if command -v jq >/dev/null; then
	jq -e '.rounds | .done >= 1 and .steady == false and .max_rounds == 1000' out >/dev/null ||
		complain "interrupted: $(jq -c .rounds out)"
	jq -e '.rounds.done as $n | (.stages | length) - $n | . >= 0 and . <= 1' out >/dev/null ||
		complain "interrupted: stages are missing"
fi
exit $failed
