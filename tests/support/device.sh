# SPDX-License-Identifier: MIT
# Sourced by test scripts: devices that go when the script ends, and small checks.
export IOBENCH_DEV_OWNER=$$
export LC_ALL=${LC_ALL:-C.UTF-8}
failed=0

skip()
{
	echo "skipped: $*"
	exit 77
}

complain()
{
	echo "FAILED: $*"
	failed=1
}

# device VARIABLE TESTDEV-ARGUMENTS...: the path; skips the test where this machine has none.
device()
{
	local -n result=$1
	local made code
	shift
	made=$(testdev "$@")
	code=$?
	[ $code != 77 ] || skip "testdev $*"
	[ $code = 0 ] || { echo "testdev $* failed"; exit 1; }
	result=${made%% *}
}

# A scratch directory that goes too.
scratch=$(testdev dir) || exit 1
