#!/bin/sh
# run.sh TILEC FILE DEVICE... -- runs the kernels of FILE on the devices as its
# `# run:` lines say, and compares with the values stored beside it.  The device
# `also` is the simulator as each chip of a line `# also: sim CHIP...`.
#
# work.txt has the work of each run in the simulator: instructions of warps,
# sectors of global memory, turns of shared memory. More work is an error.
# TILE_WORK=FILE adds the lines of today to a file. TILE_WORK=off skips the
# comparison: the table is for code of LLVM 19.
tilec=$1 file=$2
shift 2
cd "$(dirname "$file")" || exit 1
file=$(basename "$file") failed=0
lines=$(mktemp) || exit 1
trap 'rm -f "$lines"' EXIT
trap 'exit 1' HUP INT TERM

# number NAME: of all instructions together, in the counters that $output has
number() {
  printf '%s\n' "$output" |
    sed -n "s/^{\"kernel\".*\"all\":{[^}]*\"$1\":\([0-9]*\).*/\1/p"
}

# work ARGUMENTS: compares the counters of the run with those of the table
work() {
  [ "${TILE_WORK:-}" != off ] || return 0
  name="$file $(echo "$*" | cksum | cut -d ' ' -f 1) ${TILE_SIM_CHIP:-sm_80}"
  now="$(number warps) $(number sectors) $(number turns)"
  [ -z "${TILE_WORK:-}" ] || echo "$name $now" >>"$TILE_WORK"
  then=$(sed -n "s/^$name //p" work.txt)
  [ -n "$then" ] || return 0
  echo "$now $then" | awk '{ exit $1 > $4 || $2 > $5 || $3 > $6 }' && return 0
  echo "$name: it takes $now instructions, sectors and turns; it took $then"
  return 1
}
grep -q '^# run: ' "$file" || { echo "$file has no '# run:' line"; exit 1; }
devices=
for device in "$@"; do
  [ "$device" != also ] || device=$(sed -n 's/^# also: sim //p' "$file")
  devices="$devices $device"
done
# One thread: how often a loop of compare and swap turns depends on the others.
[ -n "$TILE_SIM_SCHEDULE" ] || export TILE_SIM_THREADS=1
for device in $devices; do
  case $device in sm_*) export TILE_SIM_CHIP=$device; device=sim ;; esac
  stats=
  [ "$device" != sim ] || stats=--stats=json
  sed -n 's/^# run: //p' "$file" >"$lines"
  while read -r arguments; do
    # shellcheck disable=SC2086 # the line is a list of arguments
    output=$("$tilec" run "$file" --device="$device" $stats $arguments 2>&1)
    code=$?
    if [ $code -eq 0 ]; then
      [ -z "$stats" ] || [ -n "$TILE_SIM_SCHEDULE" ] ||
        work "$arguments" || failed=1
      continue
    fi
    if [ $code -eq 4 ] && echo "$output" | grep -q unavailable; then
      echo "SKIP: $device: $output"
      continue
    fi
    echo "$device: $arguments"
    echo "$output"
    failed=1
  done <"$lines"
done
exit $failed
