#!/bin/bash
# SPDX-License-Identifier: MIT
# The iobench tool: its options, messages, exit codes, and where its reports go. The I/O itself is
# the null engine's, or little.
. "$IOBENCH_SOURCE/tests/support/tool.sh"
null=(--engine null --size 1g --runtime 20ms)

# ---- commands and help ----
expect 2 '^usage: iobench COMMAND'
[ ! -s out ] || complain "without arguments something is on stdout"
expect 0 '' --help && on_stdout '^usage: iobench COMMAND'
expect 0 '' --version && on_stdout '^iobench [0-9]+\.[0-9]+\.[0-9]+$'
expect 2 'unknown command matirx; did you mean matrix\?' matirx
expect 2 'unknown command frobnicate; iobench --help' frobnicate
expect 0 '' engines && on_stdout '^psync +yes'
expect 2 'engines takes no "--all"' engines --all
for command in run matrix check compare findings device engines params; do
	expect 0 '' $command --help && on_stdout "^usage: iobench $command"
done
for format in text markdown json; do
	expect 0 '' params --format $format && on_stdout block_size
	[ "$(grep -cE '^(`|\| `|  \{"name": "|[a-z_]+ )' out)" -ge 25 ] || complain "params --format $format is short"
done
expect 2 'no format "xml"; there are text, markdown, json' params --format xml
if command -v jq >/dev/null; then
	iobench params --format json | jq -e 'length >= 25 and all(.help != "")' >/dev/null ||
		complain "params --format json is no JSON"
fi
for command in run matrix; do
	iobench $command --help >help
	for name in $(iobench params --format json | sed -n 's/.*"name": "\([a-z_]*\)".*/\1/p'); do
		grep -q -- "^  --${name//_/-} " help || complain "$command --help does not list $name"
	done
	for name in target allow-destroy create overwrite-signature format output progress help; do
		grep -q -- "^  --$name" help || complain "$command --help does not list $name"
	done
	[ "$(awk 'length > 80' help | wc -l)" = 0 ] || complain "$command --help is wider than 80"
done
expect 0 '' run --target nowhere --help

# ---- device ----
head -c 64k /dev/urandom >plain
expect 0 '' device plain && on_stdout '^plain  file' && on_stdout '^  size +64 KiB$' &&
	on_stdout '^layers$'
expect 0 '' device --format json -- plain
! command -v jq >/dev/null || jq -e '.device.facts.size == 65536 and .users == []' out >/dev/null ||
	complain "device --format json: $(cat out)"
expect 0 '' device --facts && on_stdout '^logical_block +the smallest'
expect 2 'device: name a block device or a file' device
expect 2 'device takes one path, and "b" is a second one' device plain b
expect 2 'there is no format "yaml"; there are text, json' device plain --format=yaml
expect 2 '"--formt" is no option' device plain --formt json
expect 2 '"--format" is no option, or lacks its value' device plain --format
expect 2 'device: .*nowhere.*ENOENT' device nowhere
expect 2 'device: "\." is a directory' device .
expect 2 'device: "/dev/null" is neither' device /dev/null
iobench device plain >/dev/full 2>err
[ $? = 1 ] || complain "device on a full stdout: $(cat err)"

# ---- options ----
expect 2 'unknown option --blok-size; did you mean --block-size\?' run --blok-size 8k
expect 2 'there is no engine "spdk"; the engines are auto' run --engine spdk --size 1g
expect 2 'unknown option --targt; did you mean --target\?' run --targt=x
expect 2 'unknown option --bs; did you mean --block-size\?' run --bs=8k
expect 2 'unknown option --filename; did you mean --target\?' run --filename=x
expect 2 'unknown option --loops; did you mean --passes\?' run --loops=2
expect 2 'unknown option --zzzzzzzz; iobench run --help' run --zzzzzzzz 1
expect 2 '^iobench: --block-size needs a value' run --block-size
expect 2 '^iobench: --pattern needs a value: random\|sequential' run --pattern --workers 1
expect 2 '--allow-destroy takes no value, and "yes" was given' run --allow-destroy=yes
expect 2 'a device or file is given as --target /dev/x' run /dev/x
expect 2 'a device or file is given as --target --weird' run -- --weird
expect 2 '"-x" is no option' run -x
expect 2 '^iobench: block_size: .*4\.5k' run --block-size 4.5k
expect 2 '^iobench: block_size: .*"?10x' run --block-size=10x
expect 2 '^iobench: read_percent: .*101' run --read-percent 101
expect 2 '^iobench: workers: .*0' run --workers 0
expect 2 '^iobench: pattern: .*sideways' run --pattern sideways
expect 2 '^iobench: engine: .*psink.*psync' run --engine psink --target x
expect 2 '--format: there is no format "xdsk"; there are text, xdisk, json, csv, fio-json, fio-json+' run --format text,xdsk
expect 2 '--progress: "sometimes" is none of auto, always, never' run --progress sometimes
expect 2 '--output: the name of a file is wanted' run --output=
expect 0 '' run "${null[@]}" --block_size 8k --format=csv && on_stdout ',8k,'
expect 0 '' run "${null[@]}" --block-size 8k --block-size 16k --format csv && on_stdout ',16k,'
expect 0 '' run "${null[@]}" --block-size 4k:60,64k:40 --format csv && on_stdout '4k:60,64k:40'

# ---- targets ----
head -c 1M /dev/urandom >data
cp data before
expect 2 '^iobench: .*nowhere' run --target nowhere
expect 2 'irectory' run --target .
expect 2 'target' run
expect 2 '^iobench: .*destroy' run --target data --read-percent 0 --direct false
expect 2 '^iobench: .*block_size' run --target data --block-size 2m --direct false
cmp -s data before || complain "a refused run changed its target"
[ ! -e nowhere ] || complain "a missing target was made without --create"
expect 0 '' run --target made --create --size 1m --direct false --runtime 20ms
[ "$(stat -c %s made)" = 1048576 ] || complain "--create --size 1m made $(stat -c %s made) bytes"
expect 0 '' run --target data --target made --allow-destroy --read-percent 0 --io-size 4m \
	--direct false
! cmp -s data before || complain "--allow-destroy wrote nothing"
[ "$(stat -c %s data)" = 1048576 ] || complain "the target's size changed"

# ---- matrix ----
expect 0 '' matrix "${null[@]}" --queue-depth 1,2 --read-percent 100,0 --block-size 4k,1m \
	--pattern random,sequential --workers 1,2 --format csv
sed 's/"[^"]*"/quoted/g' out | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["op"] == "all" { print $at["block_size"], $at["workers"], $at["pattern"],
		$at["read_percent"], $at["queue_depth"] }' >rows
for b in 4k 1m; do for w in 1 2; do for p in random sequential; do for r in 100 0; do
	for d in 1 2; do echo "$b $w $p $r $d"; done; done; done; done; done >wanted
diff wanted rows || complain "the matrix is not in its order"
matrix_rows()
{
	local wanted=$1
	shift
	expect 0 '' matrix "${null[@]}" "$@" --format xdisk
	[ "$(wc -l <out)" = $((wanted + 1)) ] || complain "matrix $*: $(($(wc -l <out) - 1)) rows, not $wanted"
}
matrix_rows 1
matrix_rows 1 --block-size 4k:60,64k:40
matrix_rows 2 --block-size '4k:60,64k:40;8k'
matrix_rows 1 --percentiles 50,99 --name a,b
matrix_rows 2 --engine null,null
matrix_rows 1 --workers 1,2 --workers 1
expect 2 '^iobench: block_size: .*9x' matrix "${null[@]}" --block-size 8k,9x

# ---- where reports go ----
expect 0 '' run "${null[@]}" --format json --output one
[ ! -s out ] && [ -s one ] || complain "--output one: not there, or also on stdout"
expect 0 '' run "${null[@]}" --format text,xdisk,json,csv --output many
for format in text xdisk json csv; do
	[ -s many.$format ] || complain "--output many: no many.$format"
done
[ ! -e many ] || complain "--output many: also made many"
cmp -s <(head -c 1 one) <(printf '{') || complain "one is not JSON"
chmod 640 one
ln -s one link
expect 0 '' run "${null[@]}" --format csv --output link
[ -L link ] && grep -q '^stage,' one || complain "a symbolic link was not followed"
[ "$(stat -c %a one)" = 640 ] || complain "the mode of the report file changed"
expect 2 'cannot write nowhere/report: No such file' run "${null[@]}" --runtime 60s --output nowhere/report
expect 2 'cannot write \.: ' run "${null[@]}" --runtime 60s --output .
expect 2 'cannot write data: it is the target' run --target data --output data
expect 2 'cannot write ./new: it is the target' run --target new --create --size 64k --output ./new
[ ! -e new ] || complain "a file was made that nobody may write a report to"
printf '[a]\nfilename=data\nrw=read\nsize=64k\n' >jobs.fio
expect 2 'cannot write ./jobs.fio: the jobs are read from it' fio jobs.fio --output=./jobs.fio
grep -q '^rw=read' jobs.fio || complain "a report replaced the jobs"
cp one kept
expect 2 'nowhere' run --target nowhere --output one
cmp -s one kept || complain "a refused run changed the report of the one before"
expect 1 'cannot write the text report to /dev/full: No space' run "${null[@]}" --output /dev/full
[ -c /dev/full ] || complain "/dev/full was replaced"
expect 0 '' run "${null[@]}" --output /dev/null
[ -c /dev/null ] || complain "/dev/null was replaced"
compgen -G '*.??????' >/dev/null && complain "temporary files were left"
iobench run "${null[@]}" >/dev/full 2>err
[ $? = 1 ] && grep -q 'to stdout: No space' err || complain "a full stdout: $(cat err)"
iobench run "${null[@]}" >&- 2>err
[ $? = 1 ] && grep -q 'to stdout' err || complain "a closed stdout: $(cat err)"
iobench --help >&- 2>err
[ $? = 1 ] || complain "--help on a closed stdout"
{ iobench run "${null[@]}" 2>err; echo $? >status; } | true
[ "$(cat status)" = 1 ] || complain "a broken pipe: exit $(cat status)"
# A target opened while descriptors 1 and 2 are closed must not get what is printed.
cp data before
iobench run --target data --direct false --runtime 20ms --allow-destroy >&- 2>&-
cmp -s data before || complain "the report went into the target"

# ---- recorded results ----
seeds=$IOBENCH_SOURCE/tests/unit/seeds
expect 0 '' check "$seeds/xdisk-v7000-raw.txt" --link-limit 3.2GB/s --round-trip 30us --claim direct
on_stdout '^  above-link +invalid +18 rows: 9, 13, 21, 25, 29, 33, 36, 37, 40, 49, 53, 61, 65, 69, 73, 76, 77, 80$'
on_stdout '^  harness-bound +warning +9 rows: 1, 5, 9, 17, 21, 41, 45, 49, 57$'
on_stdout '^  block-size-mismatch +invalid +6 rows: 18, 26, 34, 58, 66, 74$'
on_stdout '^  stall +warning +3 rows: 78, 79, 80$'
on_stdout '^  incomplete +note +the whole file$'
! grep -q impossible out || complain "check: impossible"
grep '^row 18 (line ' out | grep -qE 'block_size=8K workers=1' || complain "check: no row 18"
expect 3 '' check "$seeds/xdisk-v7000-raw.txt" --claim=direct --strict
expect 0 '' check "$seeds/fio-azure-ase.txt" --strict
on_stdout '^  depth-not-reached +warning +2 rows: 1, 2$'
on_stdout '^  throttled +warning +2 rows: 2, 3$'
timeout 60 iobench check - <"$seeds/fio-md-lvm-striping.txt" >out 2>err || complain "check -: $(cat err)"
on_stdout '^  stall +warning +1 row: 8$'
on_stdout '^  low-coverage +8 workloads: the recording has no size of the region$'
expect 0 '' check "$seeds/fio-azure-ase.txt" --format json
! command -v jq >/dev/null || jq -e '.rows == 3 and (.findings | length > 5)' out >/dev/null ||
	complain "check --format json: $(head -n 3 out)"
expect 0 '' run "${null[@]}" --format json --output checked.json
expect 0 '' check checked.json && on_stdout '^  short-run +warning +1 row: 1$'
expect 2 'check wants a file' check
expect 2 'cannot read nowhere: No such file' check nowhere
expect 2 'looks like none of' check data
echo '3;fio-3.33;mix;0;0;1493152;373239' >terse
expect 2 'is fio.s terse output, .* --output-format=json' check terse
expect 2 'there is no job' check data --from fio-text
expect 2 'there are json, fio-json, xdisk, fio-text' check data --from xdsk
expect 2 'unknown option --link-limt' check data --link-limt 3
expect 2 'link_limit: .*fast' check "$seeds/a33.json" --link-limit fast
expect 2 'there is direct' check "$seeds/a33.json" --claim honest
expect 0 '' findings && on_stdout '^throttled +warning$'
expect 0 '' findings --format markdown && on_stdout '^### throttled$'
expect 2 'there are text, markdown' findings --format xml
expect 0 '' run "${null[@]}" --strict
expect 3 '' run --target sparse --create --size 4m --direct false --runtime 20ms --strict --layout allocated

# ---- comparisons ----
expect 0 '' compare "$seeds/xdisk-v7000-raw.txt" && on_stdout ' IOPS +33,141 +27,052 +0\.816'
cp out halves
on_stdout '^no interval: it is not known' && ! grep -qE 'no difference shown|^interval:' out ||
	complain "compare: a legend of what is not there, or none of what is"
expect 0 '' compare "$seeds/xdisk-v7000-raw.txt#1-40" "$seeds/xdisk-v7000-raw.txt#41-80"
cmp -s halves out || complain "compare: rows are not the halves"
expect 0 '' run "${null[@]}" --runtime 1s --format json --output series.json
expect 0 '' compare series.json series.json && on_stdout ' no difference shown' &&
	on_stdout '^"no difference shown": the interval holds 1'
expect 0 '' compare checked.json checked.json --format csv && on_stdout '^"stage 1",iops,.*,1\.000000,'
expect 0 '' compare checked.json checked.json --format markdown && on_stdout '^\| stage 1 \| IOPS '
expect 2 'compare wants two files' compare
expect 2 'is a third one' compare a b c
expect 2 'has 80 rows, and 70-90 were asked for' compare "$seeds/xdisk-v7000-raw.txt#70-90" checked.json
expect 2 'there are text, json, csv, markdown' compare checked.json checked.json --format xml

# ---- progress and signals ----
expect 0 '^stage 1/1 +[0-9]+%  IOPS [0-9.]+[kMG]?  MB/s [0-9.]+  eta [0-9:-]+  stage 1$' \
	run "${null[@]}" --runtime 1500ms --progress always
expect 0 '' run "${null[@]}" --runtime 500ms
[ ! -s err ] || complain "progress on what is no terminal: $(cat err)"
for signal in INT TERM; do
	iobench run "${null[@]}" --runtime 60s --format json --output part >out 2>err &
	pid=$!
	sleep 0.5
	start=$(date +%s%N)
	kill -$signal $pid
	wait $pid
	status=$? took=$((($(date +%s%N) - start) / 1000000))
	[ $status = 130 ] || complain "SIG$signal: exit $status"
	[ $took -lt $((300 * ${CK_TIMEOUT_MULTIPLIER:-1})) ] || complain "SIG$signal: took $took ms"
	grep -q interrupted err || complain "SIG$signal: $(cat err)"
	grep -qE '"(cancelled|partial)"' part || complain "SIG$signal: the report does not say so"
	! command -v jq >/dev/null || jq -e '.stages[0].workloads[0].all.ios > 0' part >/dev/null ||
		complain "SIG$signal: no I/O in the report"
	rm -f part
done
exit $failed
