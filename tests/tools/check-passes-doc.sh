#!/bin/sh
# check-passes-doc.sh TILE_OPT FILE -- FILE holds the output of `tile-opt
# --list-passes`, as code between the lines <!-- passes --> and <!-- end -->.
wanted=$(mktemp) || exit 1
trap 'rm -f "$wanted"' EXIT
{
  echo '```'
  "$1" --list-passes || exit 1
  echo '```'
} > "$wanted"
sed -n '/^<!-- passes -->$/,/^<!-- end -->$/p' "$2" | sed '1d;$d' |
  diff -u "$wanted" - && exit 0
echo "$2 is stale: paste what tile-opt --list-passes prints" >&2
exit 1
