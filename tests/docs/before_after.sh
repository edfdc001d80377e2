#!/bin/sh
# before_after.sh TILE_OPT PAGE -- behind each example of the page that starts
# with "```tir PASS" is the output of that pass.
set -u
tile_opt=$1 page=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# 1.PASS.before, 1.PASS.after, 2.PASS.before, ...
awk -v folder="$folder" '
  /^```tir [a-z]/ { name = folder "/" ++count "." $2; file = name ".before"; next }
  /^```tir$/ { file = name ".after"; next }
  /^```$/ { file = ""; next }
  file { print > file }
' "$page"

failed=0 count=0
for before in "$folder"/*.before; do
  pass=${before%.before}
  pass=${pass##*.}
  count=$((count + 1))
  if ! "$tile_opt" --target=sm_80 --passes="$pass" --verify-each "$before" |
    diff "${before%.before}.after" - ; then
    echo "$page: that is not what $pass gives"
    failed=1
  fi
done
[ "$count" -ge 10 ] || { echo "$page: only $count examples"; exit 1; }
exit "$failed"
