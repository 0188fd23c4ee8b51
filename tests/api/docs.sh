#!/bin/bash
# SPDX-License-Identifier: MIT
# What is written about the library is there and true: a man page for each exported symbol,
# docs/parameters.md as the table is, README's program as examples/c/hello.c is, links that lead
# somewhere. ctest: nosan
set -u
export LC_ALL=C
man=$IOBENCH_BUILD/man
failed=0
complain()
{
	echo "FAILED: $1"
	failed=1
}
section()
{
	awk -v want="$2" '/^\.SH / { on = $2 == want; next } on' "$1"
}

[ -d "$man/man3" ] || { echo "skipped: the man pages were not made (no python3)"; exit 77; }
for symbol in $(grep -oE '\biob_[a-z0-9_]+' "$IOBENCH_SOURCE/lib/iobench.map"); do
	page=$man/man3/$symbol.3
	[ -s "$page" ] || { complain "$symbol has no man page"; continue; }
	section "$page" NAME | grep -qE "^$symbol \\\\- .{4,}" || complain "$page: NAME"
	section "$page" SYNOPSIS | grep -q "$symbol(" || complain "$page: no prototype"
	section "$page" DESCRIPTION | grep -qE '.{7,}' || complain "$page: no description"
	section "$page" DESCRIPTION | grep -qE 'See [a-z]+\.h' && complain "$page: no comment in the header"
done
for page in "$man"/man[137]/*; do
	! grep -q 'IOB_API' "$page" || complain "$page: shows IOB_API"
	! command -v man >/dev/null || [ -z "$(man --warnings -l "$page" 2>&1 >/dev/null)" ] ||
		complain "$page: $(man --warnings -l "$page" 2>&1 >/dev/null | head -n 1)"
done

page=$man/man1/iobench.1
for option in $(iobench run --help | grep -oE '^  --[a-z-]+'); do
	grep -q "^\.B ${option//-/\\\\-}" "$page" || complain "$page: no $option"
done
for command in run matrix check compare findings device engines params; do
	grep -q "^\.B iobench $command" "$page" || complain "$page: no $command"
done
for symbol in iob_workload_new iob_run_start iob_engine_get; do
	grep -q "$symbol" "$man/man7/iobench.7" || complain "iobench.7 does not name $symbol"
done

cd "$IOBENCH_SOURCE" || exit 1
iobench params --format markdown | diff -u docs/parameters.md - ||
	complain "docs/parameters.md is not what iobench params --format markdown prints"
iobench findings --format markdown | diff -u docs/findings.md - ||
	complain "docs/findings.md is not what iobench findings --format markdown prints"
for fact in $(iobench device --facts | grep -oE '^[a-z_]+'); do
	grep -q "^| \`$fact\` | " docs/devices.md || complain "docs/devices.md: no $fact"
done
iobench fio --cmdhelp=markdown | diff -u docs/fio.md - ||
	complain "docs/fio.md is not what iobench fio --cmdhelp=markdown prints"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md | diff -u - \
	<(sed '/SPDX/d' examples/c/hello.c) || complain "README's program is not examples/c/hello.c"
awk '/^```/ { on = 0 } /^\$ cc hello.c / { on = 1; next } on' README.md |
	grep -qxE '[0-9]+ reads a second, 99 % of them within [0-9]+ us' ||
	complain "README does not show what examples/c/hello.c prints"
for file in README.md docs/*.md; do
	for link in $(grep -oE '\]\([^)#:]+\)' "$file" | tr -d '()]'); do
		[ -e "$(dirname "$file")/$link" ] || complain "$file links to $link, which is not there"
	done
done
# The map in internals.md has every directory, and names no file that is not there.
for dir in lib/*/; do
	dir=${dir#lib/}
	row=$(grep -E "^\| \`$dir\` \|" docs/internals.md) || { complain "internals.md: no row for lib/$dir"; continue; }
	for name in $(cut -d'|' -f3 <<<"$row" | tr -d ','); do
		[ -f "lib/$dir$name.c" ] || complain "internals.md: there is no lib/$dir$name.c"
	done
done
exit $failed
