#!/bin/sh
# run.sh TILEC -- `tilec run`: arguments, files, comparisons, timing.
. "$(dirname "$0")/expect.sh"
TILE_DEVICE=cpu
export TILE_DEVICE

cat >copy.tile <<'END'
@jit
def copy(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

@jit
def scale(x, s, flag, BLOCK: tl.constexpr, NAME: tl.constexpr = "none"):
    i = tl.arange(0, BLOCK)
    if flag is not None:
        tl.store(x + i, tl.load(x + i) * s)
END

# copy CODE PATTERN ARGUMENTS...
copy() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run copy.tile --kernel=copy "$@"
}
scale() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run copy.tile --kernel=scale --grid=1 "$@"
}

# -- Every type, through files -----------------------------------------------

for type in fp64 fp32 fp16 bf16 i8 i16 i32 i64 u8 u16 u32 u64; do
  copy 0 '' --grid=3 --arg "x=randn:$type[5x7]" --arg "y=empty:$type[5x7]" \
    --arg n=35 --save x=x.npy --save y=y.npy
  cmp x.npy y.npy >/dev/null || complain "$type: the copy differs"
  copy 0 'ok$' --grid=3 --signature="*$type, *$type, i32" --arg x=@x.npy \
    --arg "y=empty:$type[5x7]" --arg n=35 --reference y=x.npy --tolerance=0
done

# -- Mismatches --------------------------------------------------------------

copy 0 '' --grid=1 --arg 'x=arange:fp32[16]' --arg 'y=empty:fp32[16]' \
  --arg n=16 --save x=arange.npy
copy 5 '1 of 16 elements.*1 of them never written' --grid=1 \
  --arg 'x=arange:fp32[16]' --arg 'y=empty:fp32[16]' --arg n=15 \
  --reference y=arange.npy
copy 0 '' --grid=1 --arg 'x=full(nan):fp32[16]' --arg 'y=empty:fp32[16]' \
  --arg n=16 --save x=nan.npy
copy 5 '16 of them never written' --grid=1 --arg 'x=rand:fp32[16]' \
  --arg 'y=empty:fp32[16]' --arg n=0 --reference y=nan.npy
copy 5 'largest error.*at \[0\]: found 2.5, expected 0: DIFFERS' --grid=1 \
  --arg 'x=full(2.5):fp32[16]' --arg 'y=empty:fp32[16]' --arg n=16 \
  --reference y=arange.npy
copy 0 'ok$' --grid=1 --arg 'x=full(7):fp32[16]' --arg 'y=empty:fp32[16]' \
  --arg n=16 --reference y=arange.npy --tolerance=10
copy 3 'shapes' --grid=1 --arg 'x=zeros:fp32[15]' --arg 'y=zeros:fp32[15]' \
  --arg n=15 --reference y=arange.npy
copy 2 'not a buffer' --grid=1 --arg 'x=zeros:fp32[15]' \
  --arg 'y=zeros:fp32[15]' --arg n=15 --save n=n.npy
copy 3 'cannot write' --grid=1 --arg 'x=zeros:fp32[15]' \
  --arg 'y=zeros:fp32[15]' --arg n=15 --save y=nowhere/y.npy

# -- Values ------------------------------------------------------------------

scale 0 'ok$' --arg 'x=arange:fp32[16]' --arg s=1 --arg flag=1 -D BLOCK=16 \
  --reference x=arange.npy
scale 0 'ok$' --arg 'x=arange:fp32[16]' --arg s=2.0 --arg flag=None \
  --arg BLOCK=16 --reference x=arange.npy
scale 0 'ok$' --arg 'x=arange:fp32[16]' --arg s=1.0 --arg flag=True \
  -D BLOCK=16 -D 'NAME="x"' --reference x=arange.npy
scale 0 'ok$' --signature='*fp32, 1.0, i32, 16, "none"' --arg 'x=arange:fp32[16]' \
  --arg flag=5 --reference x=arange.npy
scale 2 'given twice' --arg 'x=arange:fp32[16]' --arg s=1 --arg flag=1 \
  --arg BLOCK=16 -D BLOCK=16
scale 1 'BLOCK' --arg 'x=arange:fp32[16]' --arg s=1 --arg flag=1
scale 2 "misses its argument 's'" --arg 'x=arange:fp32[16]' -D BLOCK=16

# -- Devices and timing ------------------------------------------------------

args='--arg x=rand:fp32[16] --arg y=empty:fp32[16] --arg n=16'
copy 0 'median .* ms, from .* in 20 launches' --grid=1 $args --time
copy 0 'in 3 launches' --grid=1 $args --time=3
copy 0 '' --grid=1 $args --device=null
copy 4 'no CUDA driver\|no GPU' --grid=1 $args --device=cuda:99
copy 0 '' --grid=1 $args --device=sim
copy 2 "did you mean 'cpu'" --grid=1 $args --device=cpux

# -- A bug of ours -----------------------------------------------------------

# A crash while it works leaves a file that compiles the same.
what='a crash'
timeout 60 "$tilec" run copy.tile --kernel=copy --grid=100000 $args \
  --time=100000 >out 2>err </dev/null &
sleep 0.5
child=$(ps -o pid= --ppid $! 2>/dev/null | tr -d ' ')
kill -SEGV "${child:-$!}"
wait $!
code=$?
if [ "$code" = 70 ] && grep -q 'tilec-bug-.* reproduces it' err; then
  passed=$((passed + 1))
else
  complain "exit code $code"
fi
mv tilec-bug-*.tile bug.tile
expect 0 '' "$tilec" bug.tile --kernel=copy --signature='*fp32, *fp32, i32' \
  -o bug.o
expect 0 'command line was' cat bug.tile

finish
