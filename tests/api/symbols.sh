#!/bin/bash
# SPDX-License-Identifier: MIT
# One set of names: what the headers declare, what the map lists, what the shared library exports.
# The static library's own names cannot clash with a program's. ctest: nosan
set -eu
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Declarations: comments and preprocessor lines out, then the name before the first "(".
for header in "$IOBENCH_SOURCE"/include/iobench/*.h; do
	perl -0777 -ne 's{/\*.*?\*/}{}gs; s{^#.*$}{}mg;
		while (/\bIOB_API\b([^;]*);/g) { my $d = $1; print "$1\n" if $d =~ /(\w+)\s*\(/; }' "$header"
done | sort >"$tmp/headers"
perl -ne 'print "$1\n" if /^\s*(iob_\w+);/' "$IOBENCH_SOURCE/lib/iobench.map" | sort >"$tmp/map"
nm -D --defined-only "$IOBENCH_BUILD/lib/libiobench.so" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$tmp/exported"
nm -g --defined-only "$IOBENCH_BUILD/lib/libiobench.a" | awk 'NF == 3 { print $3 }' |
	sort -u >"$tmp/static"
grep '^iob_' "$tmp/static" >"$tmp/static_public"

failed=0
same()
{
	diff -u "$tmp/$1" "$tmp/$2" >"$tmp/diff" || { cat "$tmp/diff"; echo "FAILED: $1 and $2 differ"; failed=1; }
}
[ -s "$tmp/headers" ]
[ -z "$(uniq -d "$tmp/headers")" ]
same headers map
same map exported
same map static_public
if grep -vE '^iobi?_' "$tmp/static"; then
	echo "FAILED: names of the static library without the prefix"
	failed=1
fi
echo "$(wc -l <"$tmp/map") public names, $(wc -l <"$tmp/static") in the static library"
exit $failed
