#!/bin/sh
# check-intrinsics.sh ROOT -- each intrinsic of LLVM that code generation names
# has a row in codegen/llvm/intrinsics.def.
#
# A name that is put together (`%s`, `%d`) needs a row that it may become.
set -u
cd "$1" || exit 2
table=codegen/llvm/intrinsics.def
bad=$(grep -rhoE '"llvm\.[A-Za-z0-9._%]+"' codegen --include='*.c' |
  tr -d '"' | sort -u | while read -r name; do
    pattern=$(printf '%s' "$name" | sed 's/\./\\./g; s/%[ds]/[a-z0-9.]*/g')
    grep -qE "\"$pattern\"" "$table" || printf '%s\n' "$name"
  done)
[ -z "$bad" ] || { printf 'not in %s:\n%s\n' "$table" "$bad"; exit 1; }
