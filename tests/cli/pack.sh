#!/bin/sh
# pack.sh TILEC -- `tilec pack`: the file of variants, and what is wrong with it.
. "$(dirname "$0")/expect.sh"

cat >add.tile <<'END'
@jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@jit
def tupled(t, y):
    tl.store(y, t[0])
END

# pack CODE PATTERN LINE ARGUMENTS...: a file of variants of one line.
pack() {
  wanted=$1 pattern=$2
  printf '# the first line\n%s\n' "$3" >v
  shift 3
  expect "$wanted" "$pattern" "$tilec" pack add.tile --variants=v "$@"
}

good='add(*fp32:16, *fp32:16, i32) BLOCK=64'
pack 0 '' "$good"
pack 0 '' "  $good --num-warps=2 --config=0 # said why" -o two.tilepack
pack 0 '' "$good" --cpu=x86-64-v3 --target=cpu,sm_80 -o three.tilepack
pack 0 '' 'add(*fp32, *fp32, i32, 64)' -o four.tilepack
expect 0 '' "$tilec" pack add.tile --variants=v -o p.c --header=p.h
expect 0 '' cc -std=c99 -Wall -Wextra -pedantic -Werror -c p.c -o p.o

# -- What is wrong is told with its place ------------------------------------

pack 1 "v:2:1: error: there is no kernel 'sum'" 'sum(*fp32)'
pack 1 "v:2:1: error: there is no kernel 'addd'; did you mean 'add'" 'addd(*fp32)'
pack 1 "v:2:5: error: the types of 'add' are wanted" 'add BLOCK=64'
pack 1 'v:2:4: error: this bracket is not closed' 'add(*fp32, i32 BLOCK=64'
pack 1 'v:2:1: note: asked for here' 'add(*fp31, *fp32, i32) BLOCK=64'
pack 1 'v:2:1: note: asked for here' 'add(*fp32, *fp32, i32) BLOCK=48'
pack 1 "v:2:24: error: kernel 'add' has no parameter 'BLCK'" \
  'add(*fp32, *fp32, i32) BLCK=64'
pack 1 "v:2:28: error: 'BLOCK' is given twice" 'add(*fp32, *fp32, i32, 64) BLOCK=64'
pack 1 "v:2:24: error: NAME=VALUE is wanted, found '64'" 'add(*fp32, *fp32, i32) 64'
pack 1 "v:2:33: error: '--num-warps=3': a number from 1 to 32" \
  'add(*fp32, *fp32, i32) BLOCK=64 --num-warps=3'
pack 1 "v:2:33: error: there is no '--warps=3'" \
  'add(*fp32, *fp32, i32) BLOCK=64 --warps=3'
pack 1 'v:3:1: error: line 2 asks for the same' "$good
$good"
pack 1 "'t' of 'tupled': a pack has pointers, numbers and constants" \
  'tupled((i32, i32), *i32)'
pack 1 'v: there is no variant' '# nothing'

# -- The command line --------------------------------------------------------

expect 2 'variants=FILE is needed' "$tilec" pack add.tile
expect 2 'no file to pack' "$tilec" pack --variants=v
expect 3 'none' "$tilec" pack add.tile --variants=none
expect 2 "'--variants=v' is an option of 'tilec pack'" "$tilec" add.tile --variants=v
pack 2 "'native,x86-64'" "$good" --cpu=native,x86-64
expect 0 'usage: tilec pack' "$tilec" pack --help

finish
