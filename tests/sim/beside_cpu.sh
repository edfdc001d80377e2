# beside_cpu.sh -- sourced with `TILEC KERNELS`: runs kernels in the simulator and
# on the CPU, and compares.  A case is in variables: $kernel, $grid, $warps,
# $stages, $tolerance, the name of the $result, and $all, NAME=VALUE for each
# argument.  PTX of the simulator lies in $work until the next run there.
set -u
tilec=$1 kernels=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TILE_SIM_CHIP=sm_90 TILE_SIM_CHECKS=strict TILE_SIM_PTX=$work
failed=0

# run_on DEVICE SOURCE OPTION...
run_on() {
  local device=$1 source=$2 args=() arg
  shift 2
  for arg in $all; do args+=(--arg "$arg"); done
  "$tilec" run "$source" --kernel="$kernel" --device="$device" \
    --grid="$grid" --num-warps="$warps" --num-stages="$stages" \
    "${args[@]}" "$@" 2>&1
}

# complain SOURCE TEXT: about the case
complain() {
  echo "${1##*/} $kernel w$warps s$stages $all: $2"
  failed=1
}

# run_cpu: the result of $kernels is kept.
run_cpu() {
  local out
  out=$(run_on cpu "$kernels" --save "$result=$work/want.npy") ||
    complain cpu "$out"
}

# run_sim SOURCE: its result must be the CPU's.
run_sim() {
  local out
  rm -f "$work"/*.ptx
  out=$(run_on sim "$1" --reference "$result=$work/want.npy" \
    --tolerance="$tolerance") || complain "$1" "$out"
}

# has_ptx PATTERN: is it in what the simulator has run?
has_ptx() {
  cat "$work"/*.ptx | grep -q "$1"
}
