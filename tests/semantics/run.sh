#!/bin/sh
# run.sh TILEC FILE DEVICE... -- runs the kernels of FILE on the devices as its
# `# run:` lines say, and compares with the values stored beside it.  A line
# `# devices:` says on which of them; `# also: sim CHIP`, that the simulator is
# that chip, too.
tilec=$1 file=$2
shift 2
cd "$(dirname "$file")" || exit 1
file=$(basename "$file") failed=0
grep -q '^# run: ' "$file" || { echo "$file has no '# run:' line"; exit 1; }
only=$(sed -n 's/^# devices: //p' "$file")
# shellcheck disable=SC2086 # a list
[ -n "$only" ] && set -- $only
also=$(sed -n 's/^# also: sim //p' "$file")
# shellcheck disable=SC2086 # chips
for device in "$@" $also; do
  case $device in sm_*) export TILE_SIM_CHIP=$device; device=sim ;; esac
  sed -n 's/^# run: //p' "$file" >"/tmp/semantics.$$"
  while read -r arguments; do
    # shellcheck disable=SC2086 # the line is a list of arguments
    output=$("$tilec" run "$file" --device="$device" $arguments 2>&1)
    code=$?
    [ $code -eq 0 ] && continue
    if [ $code -eq 4 ] && echo "$output" | grep -q unavailable; then
      echo "SKIP: $device: $output"
      continue
    fi
    echo "$device: $arguments"
    echo "$output"
    failed=1
  done <"/tmp/semantics.$$"
done
rm -f "/tmp/semantics.$$"
exit $failed
