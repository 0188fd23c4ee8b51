#!/bin/bash
# SPDX-License-Identifier: MIT
# The JSON of iobench fio against that of fio itself: the same job file on a throttled device gives
# the same keys, and rates and means within 2 %; and what readers of it look for is there.
# ctest: idle timeout=300 nosan
set -u
. "$IOBENCH_SOURCE/tests/support/device.sh"
command -v fio >/dev/null || skip "fio is not installed"
cd "$scratch" || exit 1
device dev loop 64m
testdev throttle "$dev" 1000 1000 $$ || exit $?

cat >job.fio <<-END
	[global]
	filename=$dev
	direct=1
	ioengine=libaio
	time_based
	runtime=6
	ramp_time=1050ms
	percentile_list=50:99:99.9
	[reads]
	description=two readers
	rw=randread
	bs=4k
	iodepth=8
	numjobs=2
	group_reporting
	[mixed]
	stonewall
	rw=randrw
	rwmixread=50
	bs=8k
	iodepth=4
	lat_percentiles=1
	continue_on_error=io
END

# Keys by their path, with their type; places in lists and bins aside. What fio 3.33 has not is
# allowed, and what readers need in each job.
cat >keys.py <<-'END'
	import json, sys

	NEWER = {"job_start", "read_sectors", "write_sectors", "latency_target_ns", "latency_window_us"}
	NEEDED = {"rw", "bs", "iodepth", "numjobs"}
	FLAGS = {"time_based", "group_reporting", "stonewall"}  # 3.33 leaves out what has no value

	def paths(v, at=""):
	    if isinstance(v, list):
	        for one in v:
	            yield from paths(one, at)
	    elif isinstance(v, dict):
	        for k, one in v.items():
	            k = "*" if at.endswith("/bins") else k
	            kind = {dict: "{}", list: "[]", str: "S", int: "I", float: "F"}[type(one)]
	            yield f"{at}/{k} {kind}"
	            yield from paths(one, f"{at}/{k}")

	theirs, ours = (set(paths(json.load(open(f)))) for f in sys.argv[1:3])
	missing = sorted(theirs - ours)
	name = lambda p: p.rsplit(" ", 1)[0].rsplit("/", 1)[1]
	more = sorted(p for p in ours - theirs if name(p) not in NEWER | FLAGS and
	              not ("/job options/" in p and name(p) in NEEDED))
	if missing or more:
	    sys.exit(f"missing: {missing}; more: {more}")
END

# A line of all that is off by more than 2 %, its name first.
cat >compare.py <<-'END'
	import json, sys

	theirs, ours = (json.load(open(f))["jobs"] for f in sys.argv[1:3])

	def check(name, a, b):
	    if abs(b - a) > 0.02 * a:
	        print(f"{name} {b} against fio's {a}")

	def mean(job, ops):
	    return sum(job[o]["lat_ns"]["mean"] * job[o]["total_ios"] for o in ops) / \
	        sum(job[o]["total_ios"] for o in ops)

	for i, (a, b, ops) in enumerate(zip(theirs, ours, (["read"], ["read", "write"]))):
	    for op in ops:
	        for key in ("iops", "bw", "bw_bytes", "total_ios", "io_bytes"):
	            check(f"{i}.{op}.{key}", a[op][key], b[op][key])
	    check(f"{i}.mean", mean(a, ops), mean(b, ops))
END

# Windows begin in the middle of a slice (100 ms) of the throttle, and so hold whole ones.
# Another load spoils a try, of fio as well; what is off in all of them is a defect.
for try in 1 2 3 4; do
	fio --output-format=json+ --output=theirs job.fio >/dev/null 2>err || complain "fio: $(cat err)"
	iobench fio --allow-destroy --output-format=json+ job.fio >ours 2>err ||
		complain "iobench fio: $(cat err)"
	[ $failed = 0 ] || exit 1
	python3 compare.py theirs ours >off || exit 1
	sed "s/^/try $try: /" off
	cut -d' ' -f1 off | sort >names
	[ $try = 1 ] || { comm -12 names always >both; mv both names; }
	mv names always
	[ -s always ] || break
done
[ ! -s always ] || complain "off by more than 2 % in all tries: $(tr '\n' ' ' <always)"
python3 keys.py theirs ours || complain "other keys than fio's"

# The depth at each submit, and CPU time: not made up.
python3 - <<-'END' || complain "depths or CPU time"
	import json
	reads, mixed = json.load(open("ours"))["jobs"]
	assert reads["iodepth_level"]["8"] == 100, reads["iodepth_level"]
	assert mixed["iodepth_level"]["4"] == 100, mixed["iodepth_level"]
	for j in reads, mixed:
	    for of in "iodepth_submit", "iodepth_complete":
	        assert abs(sum(j[of].values()) - 100) < 1, j[of]
	    assert 0 < j["usr_cpu"] + j["sys_cpu"] < 100 and j["ctx"] > 1000, j["ctx"]
	    for op in "read", "write":
	        if not j[op]["total_ios"]:
	            continue
	        c, lat, slat = (j[op][k] for k in ("clat_ns", "lat_ns", "slat_ns"))
	        assert abs(lat["mean"] - slat["mean"] - c["mean"]) < 1, j[op]
	        assert c["max"] <= lat["max"] and sum(c["bins"].values()) == c["N"]
	        assert c["min"] <= c["percentile"]["50.000000"] <= c["percentile"]["99.900000"] <= c["max"]
	assert reads["job_runtime"] >= 12000 and reads["desc"] == "two readers"
END

# What scripts and readers do with it.
if command -v jq >/dev/null; then
	for ask in '.jobs[0].read.iops' '.jobs[0].read.bw_bytes' '.jobs[0].read.clat_ns.mean' \
		'.jobs[0].read.clat_ns.percentile["99.000000"]' '.jobs[1].write.lat_ns.stddev' \
		'.jobs[0].read.bw' '.jobs[0].read.iops_stddev' '.disk_util[0].util' \
		'.jobs[0].latency_us | add' '.jobs[0]."job options".iodepth | tonumber'; do
		jq -e "$ask | numbers" ours >/dev/null || complain "jq $ask: $(jq -c "$ask" ours)"
	done
	[ "$(jq -r '[.jobs[].groupid] | join(" ")' ours)" = "0 1" ] || complain "groups"
fi

# And back: the same counts.
iobench check ours >checked 2>&1
grep -q "reads" checked || complain "iobench check: $(head -3 checked)"
exit $failed
