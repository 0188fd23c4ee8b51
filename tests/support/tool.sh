# SPDX-License-Identifier: MIT
# Sourced by tests of the tool: a directory of their own, what it should exit with and say.
set -u
export LC_ALL=C
tmp=$(mktemp -d -p "$IOBENCH_BUILD" tool.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
complain()
{
	echo "FAILED: $1"
	failed=1
}

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
