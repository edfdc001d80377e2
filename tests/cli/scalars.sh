#!/bin/sh
# scalars.sh TILEC -- numbers on the command line have the types that the
# signature says, and without a signature those of their values.
. "$(dirname "$0")/expect.sh"
TILE_DEVICE=cpu
export TILE_DEVICE

types='i1 i8 u8 i16 u16 i32 u32 i64 u64 fp16 bf16 fp32 fp64'
cat >types.py <<'END'
import triton
import triton.language as tl


@triton.jit
def told(out, x, AT: tl.constexpr):
    names: tl.constexpr = (tl.int1, tl.int8, tl.uint8, tl.int16, tl.uint16,
                           tl.int32, tl.uint32, tl.int64, tl.uint64,
                           tl.float16, tl.bfloat16, tl.float32, tl.float64)
    for i in tl.static_range(13):
        if x.dtype == names[i]:
            tl.store(out + AT, i)


@triton.jit
def types(out, a, b, c, d, e, f, g, h, i, j, k, l, m):
    told(out, a, 0)
    told(out, b, 1)
    told(out, c, 2)
    told(out, d, 3)
    told(out, e, 4)
    told(out, f, 5)
    told(out, g, 6)
    told(out, h, 7)
    told(out, i, 8)
    told(out, j, 9)
    told(out, k, 10)
    told(out, l, 11)
    told(out, m, 12)


@triton.jit
def one(out, x):
    told(out, x, 0)
END

# An element for each type: it says its own number.
values='a=True b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 l=2 m=2'
arguments=
for value in $values; do arguments="$arguments --arg $value"; done
signature=$(echo "*i32 $types" | sed 's/ /, /g')
expect 0 '\[0\] 0 1 2 3 4 5 6 7$' "$tilec" run types.py --kernel=types --grid=1 \
  --arg out=full\(99\):i32[13] $arguments --signature="$signature" --print out
grep -q '\[8\] 8 9 10 11 12$' out || complain 'the last five types'

# one VALUE NUMBER: without a signature.
one() {
  expect 0 "\[0\] $2\$" "$tilec" run types.py --kernel=one --grid=1 \
    --arg out=full\(99\):i32[1] --arg "x=$1" --print out
}
one 2 5
one -2147483648 5
one 2147483648 7
one 9223372036854775808 8
one 2.0 11
one True 0

finish
