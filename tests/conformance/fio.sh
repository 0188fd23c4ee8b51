#!/bin/bash
# SPDX-License-Identifier: MIT
# iobench fio on real files: what is refused, what is made, that jobs run side by side and stages
# in order, and that what is only read stays as it was. ctest: timeout=240
. "$IOBENCH_SOURCE/tests/support/scratch.sh"
# expect STATUS TEXT-ON-STDERR ARGS...
expect()
{
	local status=$1 text=$2 is
	shift 2
	iobench fio "$@" >out 2>err </dev/null
	is=$?
	[ $is = "$status" ] || complain "$*: exit $is, not $status: $(head -n 3 err)"
	[ -z "$text" ] || grep -qF -- "$text" err || complain "$*: \"$text\" is not in: $(head -n 3 err)"
}
# json FILTER: of the last report in iobench's own JSON
json()
{
	python3 -c "import json,sys; r=json.load(open('out')); print($1)"
}
head -c 1m /dev/urandom >data
before=$(md5sum <data)

cat >write.fio <<-END
	[global]
	filename=data
	size=1m
	[reader]
	[writer]
	rw=randrw
	[other]
	filename=more
	rw=write
END
expect 2 'write.fio line 5: job "writer" writes data: not without --allow-destroy' write.fio
grep -qF 'write.fio line 7: job "other" writes data, more: not without --allow-destroy' err ||
	complain "other: $(cat err)"
grep -q reader err && complain "a job that only reads was refused: $(cat err)"
[ "$(md5sum <data)" = "$before" ] && [ ! -e more ] || complain "something was written"
expect 2 'job "writer" writes, and --readonly was given' --readonly write.fio
expect 2 'reads missing, which is not there: --create' --name=a --filename=missing --size=1m
expect 2 'did you mean "iodepth"' --name=a --iodept1=4 --filename=data
sed 's/rw=write/rw=wriet/' write.fio >wrong.fio
expect 2 '"wriet" is none of read, write' wrong.fio
grep -qF 'wrong.fio line 9' err || complain "no line: $(cat err)"
deep=a-directory-of-a-long-name/and-one-more-below-it/jobs
mkdir -p $deep && cp wrong.fio $deep/
expect 2 ', .../and-one-more-below-it/jobs/wrong.fio line 9' $deep/wrong.fio
grep -q '^iobench: rw: "wriet"' err || complain "a long path stands before the message: $(cat err)"
rm -r "${deep%%/*}"
expect 2 'pass the end of "data"' --name=a --filename=data --size=2m
printf '[a]\nfilename=data\n[b]\nstonewall\nfilename=data\noffset=1m\n' >past.fio
expect 2 'offset: 1048576 is not inside "data", which has 1048576 bytes; it is job "b", past.fio line 3' past.fio

# Wherever a name leads, nothing is written or made without leave, and nothing but files is made.
list=(--name=w --filename=data:$(seq -s : 2 20) --size=1m --rw=write)
expect 2 'job "w" writes data, 2, 3, 4, 5, 6, 7, 8 and 12 more: not without --allow-destroy' "${list[@]}"
for rw in write randwrite randrw rw trim trimwrite; do
	expect 2 'job "w" writes data: not without --allow-destroy' --name=w --filename=data --rw=$rw --bs=4k
done
for flag in file_append fill_device overwrite create_only pre_read unlink create_on_open; do
	expect 2 'reads gone, which is not there: --create' --name=r --filename=gone --size=1m --$flag=1
done
ln -s data link
ln -s nowhere/at/all broken
ln -s loop loop
expect 2 'job "w" writes link: not without' --name=w --filename=link --rw=write
expect 2 'reads broken, which is not there' --name=r --filename=broken --size=4k
expect 2 'is a link to what is not there' --create --name=r --filename=broken --size=4k
expect 2 'loop' --create --name=r --filename=loop --size=4k
expect 2 'is a directory' --name=r --filename=. --size=4k
expect 2 'is neither a block device nor a regular file' --name=r --filename=/dev/zero --size=4k
expect 2 'is neither a block device nor a regular file' --allow-destroy --name=w --rw=write --filename=/dev/null --size=4k
[ -c /dev/mem ] && expect 2 'is neither a block device nor a regular file' --name=r --filename=/dev/mem --size=4k
expect 2 'no/such/place' --create --name=r --directory=no/such/place --size=4k
expect 2 'has room for' --create --name=r --size=$((1 << 60))
if [ "$(stat -c %d /dev)" != "$(stat -c %d /)" ]; then # where /dev is a file system of its own
	expect 2 'reads /dev/iobench-none, which is not there' --name=r --filename=/dev/iobench-none --size=4k
	expect 2 'no such device, and no file is made among them' --allow-destroy --name=w --rw=write \
		--filename=/dev/iobench-none --size=4k
	[ ! -e /dev/iobench-none ] || { complain "a file among the devices"; rm /dev/iobench-none; }
fi
for option in exec_prerun exec_postrun; do
	printf '[a]\nfilename=data\n%s=touch %s/ran\n' $option "$dir" >exec.fio
	expect 2 "not supported: $option (commands: none is ever run), exec.fio line 3" --allow-destroy exec.fio
done
[ ! -e ran ] || complain "a command was run"
printf '[global]\nbs=4k\n' >globals.fio
expect 2 'there is no job to run' globals.fio
expect 0 'there is no job' --parse-only globals.fio
rm -f link broken loop ./*.fio.bak
[ "$(ls | xargs)" = "data err exec.fio globals.fio out past.fio write.fio wrong.fio" ] ||
	complain "something was made: $(ls | xargs)"
[ "$(md5sum <data)" = "$before" ] || complain "a reader changed the file"
expect 2 'U+2013 (en dash)' "–name=a"

# Read, as fio does by default: the whole file once, and dropped from the cache before.
expect 0 '' --name=a --filename=data --output-format=iobench-json
[ "$(json "r['stages'][0]['workloads'][0]['read']['bytes']")" = 1048576 ] || complain "not the whole file"
[ "$(md5sum <data)" = "$before" ] || complain "a reader changed the file"

# Percents are of what is there; an offset of them comes down to a block's start.
moved()
{
	local bytes=$1 offset=$2 got
	shift 2
	expect 0 '' --name=a --filename=data --output-format=iobench-json "$@"
	got=$(json "[(w['read']['bytes'], w['params']['offset']) for s in r['stages'] for w in s['workloads']]")
	[ "$got" = "[($bytes, '$offset')]" ] || complain "$*: $got, not $bytes bytes from $offset"
}
moved 524288 0 --size=50%
moved 737280 304k --offset=30%
moved 524288 256k --offset=25% --size=50%
moved 717824 323k --offset=30% --offset_align=19k --bs=512
moved 3145728 0 --loops=3
moved 2097152 0 --io_size=2m
moved 262144 0 --io_size=25%
expect 2 'to be made, so its size must be given' --create --name=a --filename=nowhere

# Made, filled, and removed again where that was asked.
expect 0 '' --create --name=made --size=1m --nrfiles=2 --directory="$dir"
[ "$(stat -c %s made.0.0 made.0.1 | xargs)" = "524288 524288" ] || complain "made: $(ls -l made*)"
[ "$(tr -d '\0' <made.0.0 | wc -c)" -gt 500000 ] || complain "made.0.0 is not filled"
expect 0 '' --create --name=gone --size=1m --unlink=1 --directory="$dir"
[ ! -e gone.0.0 ] || complain "gone.0.0 is still there"
expect 0 '' --name=a --filename=data --size=1m --unlink=1
[ -e data ] || complain "a file that was there before is gone"
expect 0 '' --create --name=only --create_only=1 --size=1m --directory="$dir" --output-format=iobench-json
[ "$(stat -c %s only.0.0)" = 1048576 ] || complain "create_only: $(ls -l only*)"
[ "$(json "r['stages'][0]['workloads'][0]['read']['ios']")" = 0 ] || complain "create_only did I/O"
expect 0 '' --allow-destroy --name=w --filename=new --size=1m --rw=write --direct=0
[ "$(stat -c %s new)" = 1048576 ] || complain "new: $(ls -l new)"

# Everything of a stage at the same time, stages one after another, all with one clock.
cat >stages.fio <<-END
	[global]
	ioengine=null
	size=1g
	runtime=500ms
	time_based
	[a]
	numjobs=3
	[b]
	[c]
	stonewall
	[d]
END
expect 0 '' stages.fio --output-format=iobench-json
got=$(json "[[w['name'] for w in s['workloads']] for s in r['stages']]")
[ "$got" = "[['a', 'a', 'a', 'b'], ['c', 'd']]" ] || complain "stages: $got"
got=$(json "all(450 < w['elapsed_ns'] / 1e6 < 1500 for s in r['stages'] for w in s['workloads'])")
[ "$got" = True ] || complain "each workload takes its own time"
got=$(json "r['elapsed_ns'] / 1e6 < 3000 and r['elapsed_ns'] / 1e6 >= 990")
[ "$got" = True ] || complain "together: $(json "r['elapsed_ns'] / 1e6") ms"

# Four readers of files of their own, at depth 256.
for i in 0 1 2 3; do head -c 4m /dev/urandom >reader$i; done
printf '[global]\nioengine=libaio\niodepth=256\nrw=read\nbs=16k\nruntime=1\ntime_based\n' >fioread.ini
for i in 0 1 2 3; do printf '[r%d]\nfilename=%s/reader%d\n' $i "$dir" $i >>fioread.ini; done
expect 0 '' fioread.ini --output-format=iobench-json
got=$(json "[(w['name'], w['effective']['queue_depth'], w['read']['ios'] > 256, w['read']['errors'])
	for s in r['stages'] for w in s['workloads']]")
[ "$got" = "[('r0', 256, True, 0), ('r1', 256, True, 0), ('r2', 256, True, 0), ('r3', 256, True, 0)]" ] ||
	complain "four readers: $got"

# The same of files that hold what each job reads: all clones of a stage read at the same time.
cat >side.fio <<-END
	[global]
	directory=$dir
	filename_format=reader\$jobnum
	bs=16k
	runtime=500ms
	time_based
	[a]
	numjobs=3
	[b]
	filename=reader3
	[c]
	stonewall
	numjobs=2
END
expect 0 '' side.fio --output-format=iobench-json
got=$(json "[[(w['name'], w['targets'][0]['path'].split('/')[-1], w['read']['ios'] > 0)
	for w in s['workloads']] for s in r['stages']]")
[ "$got" = "[[('a', 'reader0', True), ('a', 'reader1', True), ('a', 'reader2', True), ('b', 'reader3', True)], [('c', 'reader0', True), ('c', 'reader1', True)]]" ] ||
	complain "side by side: $got"
got=$(json "r['elapsed_ns'] / 1e6 >= 990 and r['elapsed_ns'] / 1e6 < 3000")
[ "$got" = True ] || complain "side by side: $(json "r['elapsed_ns'] / 1e6") ms"

# The commands of those who asked for this.
if dd if=reader0 iflag=direct of=/dev/null bs=1m count=1 status=none 2>/dev/null; then
	expect 0 '' --name=test1 --ioengine=sync --direct=1 --rw=randread --bs=1m --runtime=10 --filename=reader0 \
		--iodepth=1 --invalidate=1 --output-format=iobench-json
	got=$(json "[(w['name'], w['effective']['engine'], w['effective']['direct'], w['effective']['queue_depth'],
		w['effective']['block_size'], w['read']['ios'], w['read']['bytes'], w['read']['errors'])
		for s in r['stages'] for w in s['workloads']]")
	[ "$got" = "[('test1', 'psync', True, 1, 1048576, 4, 4194304, 0)]" ] || complain "test1: $got"
	expect 0 'iodepth=2048 runs at depth 1: ioengine=psync does one I/O at a time (as in fio)' --name=ase \
		--filename=reader0 --readonly --rw=read --direct=1 --bs=16k --size=4m --iodepth=2048 --numjobs=1 \
		--output-format=iobench-json
	got=$(json "[(w['params']['queue_depth'], w['effective']['queue_depth'], w['read']['ios'], w['read']['bytes'])
		for s in r['stages'] for w in s['workloads']]")
	[ "$got" = "[(2048, 1, 256, 4194304)]" ] || complain "ase: $got"
	sed 's/^rw=read/rw=read\ndirect=1/' fioread.ini >direct.ini
	expect 0 '' direct.ini --output-format=iobench-json
	got=$(json "[(w['name'], w['effective']['queue_depth'], w['effective']['direct'], w['read']['ios'] > 256)
		for s in r['stages'] for w in s['workloads']]")
	[ "$got" = "[('r0', 256, True, True), ('r1', 256, True, True), ('r2', 256, True, True), ('r3', 256, True, True)]" ] ||
		complain "four readers, direct: $got"
else
	echo "$dir has no O_DIRECT: the commands with direct=1 were not run"
fi

# A job that ends the others; one that waits.
expect 0 '' --ioengine=null --size=1g --runtime=60 --time_based --name=long --name=short --runtime=1 \
	--exitall --output-format=iobench-json
[ "$(json "r['elapsed_ns'] / 1e6 < 5000")" = True ] || complain "exitall: $(json "r['elapsed_ns'] / 1e6") ms"

# The command line that --showcmd prints reads as the job file does.
for file in "$IOBENCH_SOURCE"/tests/fio/{globals,stages,name,include,buffers,filename_adds}.fio; do
	iobench fio --showcmd "$file" >first 2>/dev/null || complain "--showcmd $file"
	eval "iobench $(sed 's/^fio/fio --showcmd/' first)" >second 2>/dev/null
	diff first second || complain "--showcmd of $file is not the same when read again"
done
expect 0 '' --parse-only --name=a --filename=/not/there --size=1m
expect 0 '' --section=reader --output-format=iobench-json write.fio
[ "$(json "len(r['stages'][0]['workloads'])")" = 1 ] || complain "--section ran more than one job"
iobench fio - --parse-only <write.fio || complain "a job file on stdin"
iobench fio <(cat write.fio) --parse-only || complain "a job file in a pipe"

# fio's progress line, and reports on the way.
iobench fio --name=p --ioengine=null --size=1g --runtime=2 --time_based --rw=randread --numjobs=4 \
	--eta=always --status-interval=1 >out 2>err || complain "progress"
grep -qE '^Jobs: 4 \(f=4\): \[r\(4\)\]\[[0-9.]+%\]\[r=[0-9.]+[KMGT]iB/s\]\[r=[0-9.]+[kMG]? IOPS\]\[eta 00m:0[0-9]s\]$' err ||
	complain "progress: $(tail -n 1 err)"
[ "$(grep -c 'iobench [0-9]\|^p: ' out)" -ge 2 ] || complain "--status-interval: $(grep -c iobench out)"
iobench fio --cmdhelp=rwmixwrite | grep -q read_percent || complain "--cmdhelp=rwmixwrite"
# fio's JSON: nothing but the document on stdout; several formats and what was measured so far go
# where fio puts them, JSON first.
documents()
{
	python3 - "$1" <<-'END'
		import json, sys
		text, at, n = open(sys.argv[1]).read(), 0, 0
		while text[at:].startswith("{"):
		    v, at = json.JSONDecoder().raw_decode(text, at)
		    at += 1
		    n += 1
		    assert all(isinstance(v["jobs"][0]["job options"][k], str) for k in ("rw", "bs", "iodepth", "numjobs"))
		assert v["jobs"][0]["read"]["total_ios"] > 0
		print(n, len(text[at:].splitlines()) > 3)
	END
}
expect 0 '' --name=a --filename=data --output-format=json
[ "$(documents out)" = "1 False" ] || complain "json: $(documents out)"
expect 0 '' --name=a --filename=data --output-format=normal,json,json+ --output=both
[ ! -s out ] && [ "$(documents both)" = "1 True" ] || complain "normal,json,json+: $(documents both)"
grep -q '"bins"' both || complain "json+ is not in place of json"
expect 0 '' --name=a --ioengine=null --size=1g --rw=read --time_based --runtime=2 --status-interval=0.3 \
	--output-format=json --output=now
case $(documents now) in
[2-9]" False") ;;
*) complain "--status-interval: $(documents now)" ;;
esac
expect 2 'json, json+, text' --name=a --filename=data --output-format=jsn

exit $failed
