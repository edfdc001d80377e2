#!/bin/sh
# small.sh HEADER LIBRARY ARCHIVE -- libtilert exports only the functions that
# its header declares, needs only libc, and is small; so is the archive.
# Backs I3 of runtime/rt.
set -eu
declared=$(mktemp) exported=$(mktemp)
trap 'rm -f "$declared" "$exported"' EXIT
tr '\n' ' ' <"$1" | sed 's/TILE_API/\n&/g' |
  sed -n 's/^TILE_API [^(;#]*[ *]\(tilert_[a-z_0-9]*\)(.*/\1/p' | sort -u >"$declared"
nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
  sort -u >"$exported"
[ -s "$declared" ] && diff "$declared" "$exported"
wanted=$(readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -v -e '^libc\.' -e '^ld-linux' || true)
[ -z "$wanted" ] || { echo "it wants $wanted"; exit 1; }
nm -g --defined-only "$3" | awk 'NF == 3 { print $3 }' | sort -u >"$exported"
diff "$declared" "$exported"
for file in "$2" "$3"; do
  size=$(wc -c <"$file")
  [ "$size" -le 100000 ] || { echo "$file has $size bytes"; exit 1; }
done
echo "$(wc -l <"$declared") functions, $size bytes"
