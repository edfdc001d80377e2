#!/bin/sh
# test.sh PROGRAM FAKE_NCCL LIBTILESIM -- the ring with 1 to 4 processes.
#
# The program itself compares its result with one process and with double
# precision; this test checks the bytes that each process sends, their order,
# and the death of a process.
command -v mpirun >/dev/null && [ "$#" = 3 ] || {
  echo "SKIP: without Open MPI, or with sanitizers"
  exit 77
}
program=$1 fake_nccl=$2 driver=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# For containers: they are root, have few cores, and no ptrace.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=false
export TILE_CACHE_DIR="$work/cache" TILE_NUM_THREADS=1
unset TILE_DEVICE

complain() {
  failed=1
  echo "FAILED: $*"
  sed 's/^/  /' out
}

# ring RANKS OPTION...
ring() {
  what="$*" ranks=$1
  shift
  rm -f log.*
  timeout 60 mpirun --oversubscribe --bind-to none -n "$ranks" "$program" \
    --log=log. "$@" >out 2>&1
  code=$?
}

# fine RANKS OPTION...: it ends, and with the right result.
fine() {
  ring "$@"
  [ $code = 0 ] && grep -q "^$1 ranks .*: ok$" out || complain "$what: code $code"
}

# order RANK STEPS: the calls of a rank, one behind the other: a part is on its
# way before the kernel starts, and is waited for after it.
order() {
  step=0
  : >wanted
  while [ $step -lt "$2" ]; do
    [ $((step + 1)) = "$2" ] || echo "$step: start" >>wanted
    echo "$step: launch" >>wanted
    echo "$step: done" >>wanted
    [ $((step + 1)) = "$2" ] || echo "$step: arrived" >>wanted
    step=$((step + 1))
  done
  sed 's/.* step \([0-9]*: [a-z]*\).*/\1/' "log.$1" | cmp - wanted ||
    complain "$what: another order of calls at rank $1"
}

what=--help # of one process alone, too
"$program" --help >out 2>&1 && grep -q '^  --split=ROWS' out || complain "$what"
ring 1 --splits=5
[ $code != 0 ] && grep -q -e '--help shows the options' out ||
  complain "$what: no message"

for ranks in 1 2 3 4; do
  fine $ranks
  rank=0
  while [ $rank -lt $ranks ]; do
    order $rank $ranks
    rank=$((rank + 1))
  done
done
grep -q '4 ranks by mpi' out || complain "$what: not by MPI"
fine 4 --causal
# 2 heads of 32 floats for keys and for values: 512 bytes a row.
fine 3 --split=1,130,33
grep -q 'step 0: start: 66560 bytes to 2, 512 bytes from 0$' log.1 &&
  grep -q 'step 1: start: 512 bytes to 2, 16896 bytes from 0$' log.1 &&
  grep -q '^rank 1: rows 1 to 131, 67072 bytes sent$' out ||
  complain "$what: other bytes"
fine 4 --split=0,65,0,7 --causal # some processes have no rows

# By NCCL: a fake, and the simulator as the driver of the GPU.
export TILE_LIBCUDA="$driver" TILE_LIBNCCL="$fake_nccl"
fine 3 --nccl --device=cuda --length=50 --heads=1 --causal
order 0 3
grep -q '3 ranks by nccl' out || complain "$what: not by NCCL"
TILE_LIBNCCL=$work/nothing.so
ring 2 --nccl --device=cuda
[ $code != 0 ] && grep -q 'rank [01]: NCCL: .*nothing.so.*TILE_LIBNCCL' out ||
  complain "$what: no message"

# A process that dies ends the others, which wait for it.
ring 3 --die=1:1
[ $code != 0 ] && [ $code != 124 ] && grep -q 'rank 1 .*on signal 9' out ||
  complain "$what: code $code"
ring 2 --split=5
[ $code != 0 ] && grep -q 'rank [01]: --split has rows for 1 of 2 ranks' out ||
  complain "$what: no message"
ring 2 --split=5,6,7
[ $code != 0 ] && grep -q 'rank [01]: --split has rows for more than 2 ranks' out ||
  complain "$what: no message"
exit $failed
