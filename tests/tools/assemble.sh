#!/bin/sh
# assemble.sh FOLDER [COUNT] -- ptxas must accept the PTX that tests have made.
#
# FOLDER was filled by keep_ptx.c; COUNT of its files are taken, or all. Names
# are hashes, so that the first files are of all kinds. A note of lost speed
# (C75xx) is a failure, too.
set -u
if [ "${1:-}" = --one ]; then
  chip=$(sed -n 's/^\.target \(sm_[0-9a]*\).*/\1/p' "$2" | head -n 1)
  says=$(ptxas -arch="$chip" "$2" -o /dev/null 2>&1) &&
    case $says in *'(C75'*) false ;; esac && exit 0
  echo "ptxas for $chip, of $2, $(tail -n 1 "$2"): $says"
  exit 1
fi
folder=$1 count=${2:-}
command -v ptxas >/dev/null || { echo 'SKIP: ptxas is not installed'; exit 77; }
all=$(find "$folder" -name '*.ptx' 2>/dev/null | wc -l)
[ "$all" -gt 0 ] || { echo "no PTX in '$folder'"; exit 1; }
[ -n "$count" ] && [ "$count" -lt "$all" ] || count=$all
echo "ptxas takes $count of the $all texts that tests made"
find "$folder" -name '*.ptx' | sort | head -n "$count" |
  xargs -n 1 -P "$(nproc)" "$0" --one
