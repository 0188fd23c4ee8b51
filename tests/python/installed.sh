#!/bin/bash
# SPDX-License-Identifier: MIT
# The package as it is installed, by CMake and by pip, passes the tests too. ctest: nosan serial timeout=400
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset PYTHONPATH
tests="test_workload test_suite test_result test_errors"

run_tests()
{
	local where=$1 place
	cd "$tmp" # where no sources are
	place=$(PYTHONPATH=$where "$PYTHON" -c 'import iobench; print(iobench.__file__)')
	[[ $place == "$where"/* ]] || { echo "FAILED: it is $place"; exit 1; }
	PYTHONPATH=$where "$PYTHON" -c 'import iobench._workload as w, os
assert os.path.exists(os.path.join(os.path.dirname(w.__file__), "_workload.pyi"))
assert os.path.exists(os.path.join(os.path.dirname(w.__file__), "py.typed"))'
	for test in $tests; do
		echo "== $where: $test"
		PYTHONPATH=$where "$PYTHON" "$IOBENCH_SOURCE/tests/python/$test.py"
	done
}

cmake --install "$IOBENCH_BUILD" --prefix "$tmp/first" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
mv "$tmp/first" "$tmp/prefix" # it can be moved
run_tests "$tmp/prefix/$IOBENCH_PYTHON_DIR"
# And the one that the CMake install brought goes, so that only pip's is there.
rm -rf "${tmp:?}/prefix/$IOBENCH_PYTHON_DIR"

"$PYTHON" -c 'import setuptools, wheel, pip' 2>/dev/null || {
	echo "without pip, setuptools and wheel: the second half was not done"
	exit 0
}
cp -r "$IOBENCH_SOURCE/bindings" "$tmp/bindings"
pc=$(find "$tmp/prefix" -name iobench.pc)
cd "$tmp/bindings/python"
PKG_CONFIG_PATH=${pc%/*} PIP_DISABLE_PIP_VERSION_CHECK=1 "$PYTHON" -m pip install --quiet \
	--no-build-isolation --no-index --no-deps --root-user-action=ignore --target "$tmp/pip" . \
	>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
ls "$tmp/pip"
run_tests "$tmp/pip"
cd "$tmp/bindings/python"
if PKG_CONFIG_PATH=/nonexistent PKG_CONFIG_LIBDIR=/nonexistent "$PYTHON" setup.py --version >"$tmp/log" 2>&1; then
	echo "FAILED: it builds without the library"
	exit 1
fi
grep -q "iobench is not installed" "$tmp/log"
