#!/bin/bash
# SPDX-License-Identifier: MIT
# The modules as they are installed, by CMake and by Makefile.PL, pass the tests too; their POD is
# right. ctest: nosan serial timeout=400
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset PERL5LIB

run_tests()
{
	local where=$1 place
	cd "$tmp"
	place=$("$PERL" -I"$where" -MIO::Bench -e 'print $INC{"IO/Bench.pm"}')
	[[ $place == "$where"/* ]] || { echo "FAILED: it is $place"; exit 1; }
	PERL5LIB=$where prove "$IOBENCH_SOURCE/tests/perl/workload.t" "$IOBENCH_SOURCE/tests/perl/run.t"
}

for pod in $(find "$IOBENCH_SOURCE/bindings/perl/lib" -name '*.pm'); do
	[[ $pod == */Parameters.pm || $pod == */Runnable.pm || $pod == */_swig.pm ]] ||
		podchecker -warnings "$pod"
done

cmake --install "$IOBENCH_BUILD" --prefix "$tmp/first" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
mv "$tmp/first" "$tmp/prefix"
run_tests "$tmp/prefix/$IOBENCH_PERL_DIR"
rm -rf "${tmp:?}/prefix/$IOBENCH_PERL_DIR"

cp -r "$IOBENCH_SOURCE/bindings" "$tmp/bindings"
pc=$(find "$tmp/prefix" -name iobench.pc)
cd "$tmp/bindings/perl"
export PKG_CONFIG_PATH=${pc%/*}
{
	"$PERL" Makefile.PL INSTALL_BASE="$tmp/perl" && make && make install
} >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
find "$tmp/perl" -type f | sed "s|$tmp/||"
run_tests "$(dirname "$(dirname "$(find "$tmp/perl" -name Bench.pm)")")"
