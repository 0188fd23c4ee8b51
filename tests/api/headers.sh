#!/bin/bash
# SPDX-License-Identifier: MIT
# Each public header alone, twice, as strict C99, C11 and C++17. ctest: nosan
set -u
failed=0
check()
{
	local compiler=$1 language=$2 standard=$3 header=$4
	printf '#include <iobench/%s>\n#include <iobench/%s>\n' "$header" "$header" |
		"$compiler" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Werror \
			-fsyntax-only -I"$IOBENCH_SOURCE/include" - ||
		{ echo "FAILED: $header as $standard with $compiler"; failed=1; }
}
for path in "$IOBENCH_SOURCE"/include/iobench/*.h; do
	for c in cc clang; do
		command -v $c >/dev/null || continue
		check $c c c99 "${path##*/}"
		check $c c c11 "${path##*/}"
	done
	for cxx in c++ clang++; do
		command -v $cxx >/dev/null || continue
		check $cxx c++ c++17 "${path##*/}"
	done
done
exit $failed
