# SPDX-License-Identifier: MIT
# Sourced by test scripts: a directory $dir of their own (in $scratch_in, else for temporary files),
# which they stand in and which goes with them, and complain. They end with: exit $failed
set -u
dir=$(mktemp -d -p "${scratch_in:-${TMPDIR:-/tmp}}" iobench-test.XXXXXX)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
complain()
{
	echo "FAILED: $1"
	failed=1
}
