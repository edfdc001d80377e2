#!/bin/sh
# check-sizes.sh ROOT -- no file over 500 lines, no function over 60, no
# example of 80.
#
# The grammar is one file whatever its length.  Functions are measured by
# universal-ctags, where it is installed.
cd "$1" || exit 1
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT

sources() {
  find frontend ir passes codegen runtime examples tests -name '*.[chly]' \
    ! -path frontend/syntax/parser.y | sort
}

for file in $(sources); do
  lines=$(wc -l < "$file")
  [ "$lines" -le 500 ] || echo "$file: $lines lines, 500 at most"
done > "$report"
for file in examples/*/main.c; do
  lines=$(wc -l < "$file")
  [ "$lines" -lt 80 ] || echo "$file: $lines lines, an example has fewer than 80"
done >> "$report"

measures_functions() {
  ctags --version 2> /dev/null | grep -q Universal
}

if measures_functions; then
  sources | grep '\.[ch]$' |
    ctags -L - --kinds-C=f --language-force=C --fields=+ne -f - |
    awk -F'\t' '{
      for (i = 4; i <= NF; i++) {
        if ($i ~ /^line:/) first = substr($i, 6)
        if ($i ~ /^end:/) last = substr($i, 5)
      }
      lines = last - first + 1
      if (lines > 60) print $2 ": " $1 " has " lines " lines, 60 at most"
    }' >> "$report"
fi
cat "$report" >&2
[ ! -s "$report" ] || exit 1
measures_functions ||
  { echo "SKIP: functions are not measured without universal-ctags"; exit 77; }
