#!/bin/sh
# grid.sh TILEC -- `tilec run`: the number of programs, and elements that no
# program wrote.
# Backs I5 of runtime/tools.
. "$(dirname "$0")/expect.sh"
TILE_DEVICE=cpu
export TILE_DEVICE

cat >sizes.py <<'END'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({'BLOCK': 64}, num_warps=2),
                          triton.Config({'BLOCK': 128}, num_warps=8, num_stages=5)], key=['n'])
@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0,
                    'HALF': lambda args: args['BLOCK'] // 2})
@triton.jit
def sizes(x, n, f, one, BLOCK: tl.constexpr, EVEN: tl.constexpr, HALF: tl.constexpr,
          SEVEN: tl.constexpr = 7):
    tl.store(x, tl.num_programs(0))
    tl.store(x + 1, tl.num_programs(1))
    tl.store(x + 2, tl.num_programs(2))
END

# grid CODE RESULT GRID ARGUMENTS...: RESULT is the three sizes, or the error.
grid() {
  wanted=$1 result=$2 grid=$3
  shift 3
  expect "$wanted" "$([ "$wanted" = 0 ] || echo "$result")" "$tilec" run sizes.py \
    --grid="$grid" --arg x=zeros:i32[3] --arg n=1000 --arg f=1.5 --arg one=1 \
    --save x=x.npy "$@"
  [ "$wanted" = 0 ] || return 0
  found=$(tail -c 12 x.npy | od -An -td4 | tr -s ' ')
  [ "$found" = " $result" ] || complain "--grid='$grid' is$found, not $result"
}
grid 0 '16 1 1' 'cdiv(n, BLOCK)'
grid 0 '8 1 1' 'cdiv(n, BLOCK)' --config=1
grid 0 '100 1 1' 'cdiv(n, BLOCK)' -D BLOCK=10
grid 0 '8 2 128' 'cdiv(n, BLOCK),EVEN+2, HALF * 2' --config=1
grid 0 '8 8 5' 'triton.cdiv(n, BLOCK), num_warps, num_stages' --config=1
grid 0 '4 2 3' 'num_warps, one + 1, one * 3' --num-warps=4
grid 0 '16 3 2' '(n + BLOCK - 1) // BLOCK, min(SEVEN, 3), max(1, 2, -4 % 3)'
grid 0 '3 3 7' '-n // -300, -(-7 // 2) - 1, 2 + 1 * 5'
grid 0 '2 2 1' ' - - 2,+2 , 15 % 7'
grid 2 "--grid='n / 64': a division of integers is '//'" 'n / 64'
grid 2 'cdiv wants two numbers' 'cdiv(n)'
grid 2 "'f' is no integer of this launch of 'sizes'" f
grid 2 "did you mean 'BLOCK'" 'cdiv(n, BLOK)'
grid 2 "'x' is no integer" x
grid 2 'a division by zero' 'n // (BLOCK - 64)'
grid 2 '-1000 programs along axis 0; from 1 to 2147483647' 'n * -1'
grid 2 '0 programs along axis 1' '1, n // 1001'
grid 2 'there are the functions cdiv, min and max' 'abs(n)'
grid 2 "the end is wanted, found ',4'" 1,2,3,4
grid 2 "')' is wanted, found the end" '(1'
grid 2 "a number, a name or '(' is wanted, found ',2'" 1,,2
grid 2 "an operator or ',' is wanted, found '2'" '1 2'
grid 2 'a number past 64 bits' 9223372036854775807+1
grid 2 'a number past 64 bits' 99999999999999999999
grid 2 'nested too deeply' "$(printf '%0200d' 0 | tr 0 '(')"
grid 2 'there is no configuration 2' 'cdiv(n, BLOCK)' --config=2

# -- Elements that were never written ------------------------------------------

cat >part.tile <<'END'
@jit
def part(y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, (i % 2).to(y.dtype.element_ty), mask=i < n)

@jit
def poison(y, z, BITS: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.full([16], BITS, y.dtype.element_ty), mask=i > 2)
    tl.store(z + i, i)

@jit
def reads(y, z):
    i = tl.arange(0, 16)
    device_assert(load(y + i) == -1515870811)
    store(y + i, i, mask=(i < 3) | (i > 6))

@jit
def twice(count, y, sums):
    at = tl.atomic_add(count, 1)
    print("at", at)
    old = tl.load(sums + tl.program_id(0))
    tl.store(sums + tl.program_id(0), old + 1)
    tl.store(y + at, -1515870811, mask=at < 3)
END

# part CODE PATTERN ARGUMENTS...
part() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run part.tile --kernel=part "$@"
}
for type in fp64 fp32 fp16 bf16 fp8e5 fp8e4nv fp8e4b15 i8 i16 i32 i64 u8 u16 u32 u64 i1; do
  part 0 "warning: 'y': 48 of 64 elements were never written, the first at .0, 16." \
    --grid=1 --arg "y=empty:$type[2x32]" --arg n=64
  part 5 "error: 'y': 1 of 64 .* the first at .1, 31. (--require-written)" \
    --grid='cdiv(n, BLOCK)' --arg "y=empty:$type[2x32]" --arg n=63 --require-written
  part 0 '' --grid='cdiv(n, BLOCK)' --arg "y=empty:$type[2x32]" --arg n=64 \
    --require-written
  [ ! -s err ] || complain "$type: there is nothing to say"
done
part 1 'error: .y.: 48 of 64' --grid=1 --arg y=empty:i32[64] --arg n=64 -Werror
part 0 '' --grid=1 --arg y=zeros:i32[64] --arg n=64 --require-written
part 0 '' --grid=1 --arg y=empty:i32[64] --arg n=64 --device=null
[ ! -s err ] || complain 'the null device writes nothing'
part 0 '' --grid=4 --arg y=empty:i32[64] --arg n=64 --save y=y.npy
part 5 '48 of them never written' --grid=1 --arg y=empty:fp32[64] --arg n=64 \
  --reference y=y.npy
[ "$(grep -c 'never written' err)" = 1 ] || complain 'it is told twice'
part 0 'in 2 launches' --grid=1 --arg y=empty:i32[64] --arg n=64 --time=2

# A kernel may store the bits of poison, in types without NaNs of their own.
for pair in 'i32 -1515870811' 'u8 165' 'i8 -91' 'i1 1'; do
  set -- $pair
  expect 0 "'y': 3 of 16 elements were never written, the first at .0." "$tilec" \
    run part.tile --kernel=poison --grid=1 --arg "y=empty:$1[16]" \
    --arg z=empty:i32[16] -D BITS="$2"
done

# The place where the second launch fails is not known.
for device in cpu sim; do
  run "$tilec" run part.tile --kernel=reads --grid=1 --device=$device --debug \
    --arg y=empty:i32[16] --arg z=empty:fp32[16]
  [ "$code" = 4 ] && grep -q 'no simulator: libtilesim.so' err && continue
  [ "$code" = 0 ] || complain "exit code $code"
  grep -q "warning: 'y': it is not known whether 4 of 16 elements .*, the first at .3.: .* failed: " err ||
    complain 'the second launch fails'
  grep -q "warning: 'z': 16 of 16 elements were never written" err ||
    complain 'NaNs are certain'
  run "$tilec" run part.tile --kernel=reads --grid=1 --device=$device --debug \
    --arg y=empty:i32[16] --arg z=zeros:fp32[16] --require-written
  [ "$code" = 5 ] || complain "exit code $code"
  grep -q "error: 'y': it is not known whether 4 of 16 .* (--require-written)" err ||
    complain 'what is not known is an error'
done

# No effect of the second launch remains.
for device in cpu sim; do
  run "$tilec" run part.tile --kernel=twice --grid=4 --device=$device \
    --arg count=zeros:i32[1] --arg sums=zeros:i32[4] --arg y=empty:i32[4] \
    --save count=count.npy --save sums=sums.npy --save y=y.npy --time=2
  [ "$code" = 4 ] && grep -q 'no simulator: libtilesim.so' err && continue
  [ "$code" = 0 ] || complain "exit code $code"
  grep -q "'y': 1 of 4 elements were never written, the first at .3." err ||
    complain 'an element was never written'
  [ "$(grep -c 'at: 0' out)" = 1 ] || complain 'it prints twice'
  [ "$(tail -c 4 count.npy | od -An -td4 | tr -d ' ')" = 4 ] || complain 'count'
  [ "$(tail -c 16 sums.npy | od -An -td4 | tr -s ' ')" = ' 1 1 1 1' ] ||
    complain 'sums'
done

finish
