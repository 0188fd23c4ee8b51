# SPDX-License-Identifier: MIT
# Sourced by test scripts: fio's report for people without what differs from run to run.

# skeleton FILE: its lines without numbers, units and padding. Which classes of latency there are
# and how many rows percentiles take is the machine's matter, as is what fio 3.42 added to 3.33.
skeleton()
{
	sed -E -e 's/^fio-3.*/fio-V/; s/(process(es)?|threads?)$/T/; s/pid=[0-9]+: .*/pid=N: TIME/' \
		-e 's/; 0 zone resets//; s/, (aggr)?sectors=[0-9]+\/[0-9]+//g; s,/syncfs,,; s/=0.00ns/=0/g' \
		-e 's/\((n|u|m)sec\)/(U)/' \
		-e '/: Laying out IO file/d; /^  lat \(U\)   :/d; s/^     \|.*/     |/' \
		-e 's/[0-9]+(\.[0-9]+)?[kMG]?(([KMG]i|[kMG])?B(\/s)?)?/N/g; s/ +N/N/g; s/= *N/=N/g' \
		-e 's/\( *[KM]iB\/s\)/(B)/' "$1" | tr -d '\r' | uniq
}
