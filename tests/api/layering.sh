#!/bin/bash
# SPDX-License-Identifier: MIT
# Includes run only in the direction that data flows: workload -> plan -> worker -> engine -> hist
# -> result -> report (docs: the design, section 1). ctest: nosan
set -eu
declare -A may=(
	[base]=""
	[workload]="base"
	[measure]="base"
	[target]="base workload"
	[engine]="base"
	[result]="base measure workload"
	[fio]="base workload"
	[report]="base workload measure result"
	[run]="base workload measure target engine result"
	[search]="base workload measure engine result run"
)
failed=0
complain()
{
	echo "FAILED: $1"
	failed=1
}
cd "$IOBENCH_SOURCE/lib"
while IFS=: read -r file line directive; do
	from=${file%%/*} header=$(sed -E 's/.*"(.*)".*/\1/' <<<"$directive")
	to=${header%%/*}
	[ -n "${may[$from]+x}" ] || { complain "lib/$from has no place in the order"; continue; }
	[ -f "$header" ] || { complain "$file:$line: \"$header\" is not a path below lib/"; continue; }
	[ "$from" = "$to" ] || [[ " ${may[$from]} " == *" $to "* ]] ||
		complain "$file:$line: $from/ may not include $header"
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' . | sed 's|^\./||')

# The public side of the same order.
bad=$(grep -rnE '#[[:space:]]*include[[:space:]]*<iobench/(run|report|iobench)\.h>' --include='*.[ch]' . |
	grep -vE '^\./((run|search)/[^:]*:.*run\.h|(report|result)/[^:]*:.*report\.h)' || true)
[ -z "$bad" ] || complain "public headers of later layers: $bad"

# Examples are outside: public headers and their own only.
cd "$IOBENCH_SOURCE/examples"
while IFS=: read -r file line directive; do
	header=$(sed -E 's/.*"(.*)".*/\1/' <<<"$directive")
	[ -f "$(dirname "$file")/$header" ] || complain "examples/$file:$line: $header is not of the example"
	[[ $header != *..* ]] || complain "examples/$file:$line: $header leaves the example"
done < <(grep -rnE '#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' --include='*.cc' . || true)
exit $failed
