#!/bin/sh
# check-layers.sh ROOT -- includes may only point down the layer list, and the
# repository's top level has only the layers and files that build them.
#
# A line per layer: its folder, then the prefixes of headers that its files may
# include with quotes; names in <> are the external headers that others may not
# have. Backs I3 of ir.
root=${1:-.}
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT

# Files under the folder, less those under a folder with a line of its own.
files_of() {
  [ -d "$root/$1" ] || return
  find "$root/$1" -name '*.[chly]' -o -name '*.def' | sort |
    case $1 in
      ir) grep -v '/ir/base/' ;;
      runtime) grep -v -e '/runtime/simulator/' -e '/runtime/tools/' ;;
      *) cat ;;
    esac
}

complain() {
  echo "$1: $2 may not include $3" >> "$report"
}

# Allowed prefixes in $3...
check_include() {
  file=$1 layer=$2 header=$3
  shift 3
  for prefix; do
    case $prefix,$header in
      .,*/*) ;;
      .,*) return ;; # beside the file
      *,"$prefix"*) return ;;
    esac
  done
  complain "$file" "$layer" "\"$header\""
}

# External headers that only some layers may include.
check_external() {
  file=$1 layer=$2 header=$3
  case $header in
    llvm-c/* | llvm/*) owners="codegen/ runtime/device/host runtime/disk/" ;;
    pthread.h) owners="runtime/ codegen/" ;; # locks
    dlfcn.h) owners="runtime/ examples/ring-attention/" ;; # NCCL, by name
    threads.h) owners="" ;; # gcc 12's thread sanitizer does not see its locks
    *) return ;;
  esac
  for owner in $owners; do
    case $file in "$root/$owner"*) return ;; esac
  done
  complain "$file" "$layer" "<$header>"
}

while read -r layer allowed; do
  for file in $(files_of "$layer"); do
    for header in $(sed -n 's|^ *# *include *"\([^"]*\)".*|\1|p' "$file"); do
      # shellcheck disable=SC2086
      check_include "$file" "$layer" "$header" $allowed
    done
    for header in $(sed -n 's|^ *# *include *<\([^>]*\)>.*|\1|p' "$file"); do
      check_external "$file" "$layer" "$header"
    done
  done
done << 'EOF'
ir/base ir/base/
ir ir/
frontend ir/ frontend/
passes ir/ passes/
codegen ir/ codegen/
runtime ir/ frontend/frontend.h frontend/errors.def passes/pass.h passes/errors.def codegen/codegen.h codegen/errors.def runtime/ tile/
runtime/simulator runtime/simulator/ runtime/base/threads.h
runtime/tools ir/ frontend/ passes/ codegen/ runtime/ tile/
examples . tile/
EOF
# A reader of an example sees only the product and C.
for file in "$root"/examples/*/main.c; do
  for header in $(sed -n 's|^ *# *include *"\([^"]*\)".*|\1|p' "$file"); do
    case $header in
      tile/tile.h | *.tile.inc | kernels.h) ;; # the last: of tilec pack
      *) complain "$file" examples "\"$header\"" ;;
    esac
  done
done
git -C "$root" ls-files 2> /dev/null | sed 's|/.*||' | sort -u |
  while read -r entry; do
    case $entry in
      frontend | ir | passes | codegen | runtime | examples | tests | docs) ;;
      CMakeLists.txt | CMakePresets.json | README.md | LICENSE | .*) ;;
      check | demo | cmake | findings) ;;
      *) echo "$entry: is not of the top level" >> "$report" ;;
    esac
  done
cat "$report" >&2
[ ! -s "$report" ]
