#!/bin/bash
# commit_sizes.sh FOLDER COMMIT... -- what each commit alone adds to the product.
#
# Builds tilec and libtilesim.so of the commit's first parent and of the commit,
# Release, in FOLDER, which keeps a clone and a build.  A row has the bytes of
# their text and data before and after; docs/decisions/0032-rooms-and-size.md
# has a run.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
[ -d "$folder/src" ] || git clone -q --shared "$here" "$folder/src"

# bytes COMMIT
bytes() {
  git -C "$folder/src" checkout -q --detach "$1"
  cmake -S "$folder/src" -B "$folder/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release >"$folder/log"
  ninja -C "$folder/build" tilec tilesim >>"$folder/log"
  find "$folder/build" -name tilec -type f -perm -1 -o -name libtilesim.so |
    xargs size | awk 'NR > 1 {sum += $1 + $2} END {print sum}'
}

total=0
for commit; do
  commit=$(git -C "$here" rev-parse "$commit")
  before=$(bytes "$commit^")
  after=$(bytes "$commit")
  total=$((total + after - before))
  echo "| $(git -C "$here" log -1 --format='`%h` | %s' "$commit") |" \
    "$before | $after | $((after - before)) |"
done
echo "together: $total"
