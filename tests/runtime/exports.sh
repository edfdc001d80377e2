#!/bin/sh
# exports.sh HEADERS LIBRARY -- the library exports the functions that the
# headers in a folder declare, and no others.
declared=$(mktemp) exported=$(mktemp)
trap 'rm -f "$declared" "$exported"' EXIT
# A declaration may go on over lines: up to its first parenthesis.
cat "$1"/*.h | tr '\n' ' ' | sed 's/TILE_API/\n&/g' |
  sed -n 's/^TILE_API [^(;#]*[ *]\(tile_[a-z_0-9]*\)(.*/\1/p' | sort -u >"$declared"
nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
  grep -v -e '^_' -e '^__' -e 'san_' | sort -u >"$exported"
[ -s "$declared" ] || { echo "no declarations in $1"; exit 1; }
# Each symbol has a version, except where a sanitizer needs its own.
if nm -D --defined-only "$2" | grep -q '@@TILE_' &&
   nm -D --defined-only "$2" | grep ' T tile_' | grep -v '@@TILE_[0-9]'; then
  echo "no version"
  exit 1
fi
diff "$declared" "$exported" && echo "$(wc -l <"$declared") functions"
