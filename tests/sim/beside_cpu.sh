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

# product_args OF TO M N K BM BN BK ALONG
product_args() {
  local b="${5}x$4"
  [ "$9" = 1 ] && b="${4}x$5"
  all="a_ptr=randn:${1%/*}[${3}x$5] b_ptr=randn:${1#*/}[$b]
    c_ptr=zeros:$2[${3}x$4] M=$3 N=$4 K=$5 BM=$6 BN=$7 BK=$8
    ALONG=$9"
}

# attention_args M N D BM BN [Q K]: of which numbers Q and K are
attention_args() {
  all="q_ptr=${6-randn}:fp16[${1}x$3] k_ptr=${7-randn}:fp16[${2}x$3]
    v_ptr=randn:fp16[${2}x$3] o_ptr=zeros:fp16[${1}x$3] M=$1 N=$2 scale=0.2
    D=$3 BM=$4 BN=$5"
}

# expand_args: the function above for the $kernel of blocks.tile makes arguments
# of the sizes and types in $all, which come from the table.
expand_args() {
  # shellcheck disable=SC2086
  case $kernel in
    product) product_args $all ;;
    attention) attention_args $all ;;
  esac
}

# complain SOURCE TEXT: reports a failure of the case
complain() {
  echo "${1##*/} $kernel w$warps s$stages $all: $2"
  failed=1
}

# run_cpu: keeps the result of the CPU.
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

# has_ptx PATTERN: does the PTX that the simulator has run contain it?
has_ptx() {
  cat "$work"/*.ptx | grep -q "$1"
}
