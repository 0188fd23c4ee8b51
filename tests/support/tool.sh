# SPDX-License-Identifier: MIT
# Sourced by tests of the tool: a directory of their own, what it should exit with and say.
export LC_ALL=C
scratch_in=$IOBENCH_BUILD
. "$IOBENCH_SOURCE/tests/support/scratch.sh"

# expect STATUS PATTERN ARGUMENTS...: of the tool; PATTERN (of grep -E), if any, is to be on stderr.
expect()
{
	local status=$1 pattern=$2 got
	shift 2
	timeout 60 iobench "$@" >out 2>err </dev/null
	got=$?
	[ $got = "$status" ] || complain "iobench $*: exit $got, not $status: $(cat err)"
	[ -z "$pattern" ] || grep -qE -- "$pattern" err || complain "iobench $*: no \"$pattern\" in: $(cat err)"
}
# on_stdout PATTERN: of what the last one printed.
on_stdout()
{
	grep -qE -- "$1" out || complain "no \"$1\" in the output: $(head -n 5 out)"
}
