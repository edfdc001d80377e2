#!/bin/sh
# small.sh HEADER LIBRARY -- libtilert exports what its header declares, wants
# libc alone, and is small.
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
size=$(wc -c <"$2")
[ "$size" -le 100000 ] || { echo "$size bytes"; exit 1; }
echo "$(wc -l <"$declared") functions, $size bytes"
