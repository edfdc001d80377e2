#!/bin/sh
# run.sh TILEC HERE -- each name that Triton has is used with each of its
# parameters, and compiled for the CPU and for a GPU.
#
# names.txt has the names that releases of Triton define (names.py), uses.txt a
# use of each name.
set -u
tilec=$1 here=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  failed=1
  echo "$*"
}

# Functions u1, u2, ... and the kernel that calls them; refusals/NAME.py.
mkdir "$work/refused"
awk -v work="$work" -v prelude="$here/prelude.py" -f "$here/uses.awk" \
  "$here/uses.txt" "$here/names.txt" >"$work/said" || complain "uses.awk fails"
[ ! -s "$work/said" ] || complain "$(cat "$work/said")"

signature='*fp32:16, *i32:16, *fp16:16, i32'
# compile TARGET FILE [KERNEL SIGNATURE]
compile() {
  "$tilec" --target="$1" --error-limit=1000 --kernel="${3:-uses}" \
    --signature="${4:-$signature}" -o "$work/out" "$work/$2" \
    >"$work/err" 2>&1 || complain "$(cat "$work/err")"
}
compile cpu uses.py
compile sm_90 uses.py
compile sm_90 gpu.py
compile cpu uses.py tuned '*fp32, i32'
compile sm_90 uses.py tuned '*fp32, i32'

for file in "$work"/refused/*.py; do
  want=$(sed -n 's/^# error: //p' "$file")
  "$tilec" --target=sm_90 --signature="$signature" --kernel=uses -o "$work/out" "$file" \
    >"$work/err" 2>&1 && complain "${file##*/} is not refused"
  grep -F -q "error: $want" "$work/err" ||
    complain "${file##*/}: no error '$want' but $(cat "$work/err")"
done
grep -c . "$here/names.txt" | sed 's/$/ names/'
exit $failed
