#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs outside the tree, built against an installed and then moved prefix: with pkg-config and
# with find_package, C99 and C++17, shared and static; each is run. ctest: nosan timeout=300
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$IOBENCH_BUILD" --prefix "$tmp/first" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
mv "$tmp/first" "$tmp/prefix"
cp -r "$IOBENCH_SOURCE/tests/api/outside" "$tmp/outside"
cd "$tmp/outside"

pc=$(find "$tmp/prefix" -name iobench.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}
strict="-pedantic -Wall -Wextra -Werror"
flags=$(pkg-config --cflags iobench) libs=$(pkg-config --libs iobench)
# Our own library by its archive; what it needs as the system has it.
static=$(pkg-config --static --libs iobench | sed 's/-liobench/-l:libiobench.a/')

cc -std=c99 $strict $flags consumer.c -o pc-c $libs -Wl,-rpath,"$libdir"
c++ -std=c++17 $strict $flags consumer.cc -o pc-cc $libs -Wl,-rpath,"$libdir"
cc -std=c99 $strict $flags consumer.c -o pc-static-c $static
c++ -std=c++17 $strict $flags consumer.cc -o pc-static-cc $static
for program in pc-c pc-cc pc-static-c pc-static-cc; do
	echo "$program: $(./$program)"
done
# README's program, as it says to build it; without a file it says so.
cp "$IOBENCH_SOURCE/examples/c/hello.c" .
cc hello.c $flags $libs -Wl,-rpath,"$libdir" $strict -o hello
! ./hello 2>err && grep -q '^hello: target: the path is NULL' err
ldd pc-c | grep -q "$libdir/libiobench.so.0"
if ldd pc-static-c | grep libiobench; then
	echo "FAILED: the static program loads the shared library"
	exit 1
fi

cmake -B build -DCMAKE_PREFIX_PATH="$tmp/prefix" >"$tmp/log" 2>&1 &&
	cmake --build build >>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
for program in shared-c shared-cc static-c static-cc; do
	echo "$program: $(build/$program)"
done
