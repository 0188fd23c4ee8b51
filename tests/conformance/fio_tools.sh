#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that come with fio read what iobench writes: histograms of json+, bandwidth logs.
# ctest: timeout=120
. "$IOBENCH_SOURCE/tests/support/scratch.sh"
for tool in fio_jsonplus_clat2csv fio2gnuplot; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool, which comes with fio"; exit 77; }
done
head -c 8m /dev/urandom >data
iobench fio --name=a --filename=data --rw=randrw --bs=4k,8k --runtime=1 --time_based --direct=0 \
	--iodepth=4 --ioengine=libaio --allow-destroy --output-format=json+ --output=out.json \
	--write_bw_log=a --log_avg_msec=100 2>err || complain "$(head -n 3 err)"

fio_jsonplus_clat2csv out.json out.csv >said 2>&1 || complain "fio_jsonplus_clat2csv: $(cat said)"
# column NAME: the values of a column, of the rows that have one
column()
{
	awk -F', *' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		$at != "" { print $at }' out_job0.csv
}
for side in read write; do
	ios=$(jq ".jobs[0].$side.total_ios" out.json)
	[ "$ios" -gt 100 ] || complain "$side: $ios I/Os"
	sum=$(column ${side}_clat_ns_count | awk '{ n += $1 } END { print n }')
	last=$(column ${side}_clat_ns_cumulative | tail -n 1)
	[ "$sum" = "$ios" ] && [ "$last" = "$ios" ] ||
		complain "$side: $ios I/Os, in the CSV $sum, cumulative $last"
	[ "$(column ${side}_clat_ns_percentile | tail -n 1)" = 1.0 ] || complain "$side: no 100 %"
done
awk -F, 'NR > 2 && $1 + 0 <= last { exit 1 } { last = $1 + 0 }' out_job0.csv ||
	complain "the buckets do not rise"

fio2gnuplot -b -o bw >said 2>&1 || complain "fio2gnuplot: $(cat said)"
# Each line of the log is a value of its own there.
mean=$(awk -F', ' '{ sum += $2 } END { printf "%.2f", sum / NR }' a_bw.1.log)
grep -qx "avg=$mean" bw.global || complain "the log's mean is $mean: $(cat bw.global)"
grep -qx "values_count=$(wc -l <a_bw.1.log)" bw.global || complain "lines: $(cat bw.global)"
exit $failed
