#!/bin/sh
# grid.sh TILEC -- `tilec run`: how many programs, and what none of them wrote.
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
grid 2 'a number too large' 9223372036854775807+1
grid 2 'a number too large' 99999999999999999999
grid 2 'nested too deeply' "$(printf '%0200d' 0 | tr 0 '(')"
grid 2 'there is no configuration 2' 'cdiv(n, BLOCK)' --config=2

finish
