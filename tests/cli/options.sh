#!/bin/sh
# options.sh TILEC -- help, version, exit codes, outputs, dumps, dependencies.
# Backs I3 of runtime/tools.
. "$(dirname "$0")/expect.sh"

cat >add.tile <<'END'
from helpers import twice

@jit
def add(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, twice(tl.load(x + i, mask=i < n)), mask=i < n)
END
mkdir lib && cat >lib/helpers.tile <<'END'
@jit
def twice(x):
    return x + x
END
cat >two.tile <<'END'
@jit
def one(x: *fp32):
    tl.store(x, 1.0)

@jit
def two(x: *fp32):
    tl.store(x, 2.0)
END

# signed ARGUMENTS...: tilec on add.tile with its signature.
types='*fp32:16, *fp32:16, i32'
add() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" add.tile -I lib --signature="$types" "$@"
}

# contains FILE PATTERN
contains() {
  if grep -q -e "$2" "$1" 2>/dev/null; then
    passed=$((passed + 1))
  else
    complain "'$2' is not in $1"
  fi
}

# -- Told and refused --------------------------------------------------------

expect 0 'usage: tilec' "$tilec" --help
expect 0 '^       tilec bench \[options\] FILE$' "$tilec" --help
expect 0 'usage: tilec run' "$tilec" run --help
expect 0 '^ *native; examples: x86-64-v3, ' "$tilec" --help
expect 0 '^ *x86-64,x86-64-v3,x86-64-v4: levels with commas' "$tilec" pack --help
cp out pack.help
expect 1 '' grep znver4 pack.help
expect 0 'usage: tilec' "$tilec" -h
expect 0 '^tilec [0-9.]*$' "$tilec" --version
expect 0 '^sm_90a$' "$tilec" --print-targets
expect 2 'no file' "$tilec"
add 0 '^add for cpu: .* scratch memory' --resource-usage -o /dev/null
add 0 '"kernel": "add", "target": "cpu"' --resource-usage=json -o /dev/null
expect 2 "did you mean '--target'" "$tilec" --targte=cpu add.tile
expect 2 "no option '-z'" "$tilec" -z add.tile
expect 2 "wants a value" "$tilec" add.tile --target
expect 2 "'tilec run'" "$tilec" add.tile --grid=1
expect 2 "not 'tilec run'" "$tilec" run --emit=ir add.tile
expect 2 'one file at a time' "$tilec" add.tile two.tile
expect 2 "neither a command nor a file 'rum'; did you mean 'run'" "$tilec" rum add.tile
expect 2 "a file 'tun'; did you mean 'tune'" "$tilec" tun add.tile
expect 2 "a file 'ben'; did you mean 'bench'" "$tilec" ben add.tile
expect 2 "neither a command nor a file 'compile'; commands are run, " "$tilec" compile add.tile
expect 3 'compile.tile' "$tilec" compile.tile
mkdir none && cp two.tile none/without && expect 0 '' "$tilec" none/without --kernel=one -o one.o
cp two.tile without && expect 0 '' "$tilec" without --kernel=one -o one.o
expect 2 "no option '-O3'" "$tilec" add.tile --signature="$types" -O3
expect 2 "no option '-target'; did you mean '--target'" "$tilec" add.tile -target=sm_80
expect 2 "no option '-Wno-error'; did you mean '-Werror'" "$tilec" add.tile -Wno-error
expect 2 "'-MF' wants a value" "$tilec" add.tile -MF
for option in --help --version --print-targets; do
  expect 3 'standard output' sh -c "'$tilec' $option >/dev/full"
done
expect 2 "'--lineinfo' takes no value" "$tilec" add.tile --lineinfo=3
expect 2 "no 'sm80'; did you mean 'sm_80'" "$tilec" add.tile --target=sm80
expect 2 "no 'h100'; there are sm_75, .*cpu" "$tilec" add.tile --target=h100
expect 2 'between commas' "$tilec" add.tile --target=sm_80,
expect 2 'tokens, ast' "$tilec" add.tile --emit=nonsense
expect 2 "no 'ptxx'; did you mean 'ptx'" "$tilec" add.tile --emit=ptxx
expect 2 "no 'licn'; did you mean 'licm'" "$tilec" add.tile --disable-pass=cse,licn
expect 2 'wants one pass' "$tilec" add.tile --stop-after=cse,licm
expect 2 '1, 2, 4, 8, 16 or 32' "$tilec" add.tile --num-warps=64
expect 2 'a number from 1 to 16' "$tilec" add.tile --num-stages=100
expect 2 'num-ctas wants 1, 2, 4 or 8' "$tilec" add.tile --num-ctas=16
expect 2 "did you mean 'cuda'" "$tilec" run add.tile --grid=1 --device=gpu
expect 2 "no kernel 'three'; there are: one, two" "$tilec" two.tile --kernel=three
expect 2 'num-warps' "$tilec" add.tile --num-warps=none
expect 2 'num-warps wants' "$tilec" run two.tile --kernel=one --grid=1 --device=cpu --num-warps=3 --arg 'x=empty:fp32[1]'
expect 2 "no 'nothing'; there are canonicalize" "$tilec" add.tile --print-after=nothing
expect 2 'auto, always' "$tilec" add.tile --color=red
expect 2 "error: -D wants NAME=VALUE, found 'BLOCK'" "$tilec" add.tile -D BLOCK
expect 2 'error: --define wants NAME=VALUE' "$tilec" add.tile --define=BLOCK
expect 2 'error: -D BLOCK: given twice' "$tilec" add.tile -D BLOCK=8 -D BLOCK=16
expect 2 'triton wants 3.8 or 3.9' "$tilec" add.tile --triton=39
expect 2 'cpu wants one of native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, sapphirerapids, znver4, found' "$tilec" add.tile --cpu=pdp-11
add 0 '' --cpu=native --emit=asm -o -
# $TILE_CPU is the default.
for cpu in --cpu=native --target=sm_80; do
  expect 0 '' env TILE_CPU=pdp-11 "$tilec" add.tile -I lib --signature="$types" "$cpu" -o add.out
done
expect 2 'cpu wants one of native' env TILE_CPU=pdp-11 "$tilec" add.tile -I lib --signature="$types" -o add.o
expect 0 '' env TILE_CPU=native "$tilec" add.tile -I lib --signature="$types" -o add.o
expect 2 "tier wants 0 or 1, found 'auto'" "$tilec" add.tile --tier=auto
expect 2 "tier wants 0 or 1, found '2'" env TILE_CPU_TIER=2 "$tilec" add.tile -I lib --signature="$types" -o add.o
add 0 '' --tier=0 -o add.o
add 0 "warning: '--tier' is for --target=cpu" --tier=0 --target=sm_80 -o add.ptx
add 0 "warning: '--ptx-version' is for GPU targets" --ptx-version=8.4 -o add.o
add 0 "warning: '-lineinfo' is for GPU targets" -lineinfo -o add.o
add 1 "error: '-lineinfo' is for GPU .*Werror" -lineinfo -Werror -o add.o
case $(uname -m) in x86_64)
  add 0 "warning: '--cpu' is for --target=cpu" --cpu=x86-64 --target=sm_80 -o add.ptx
  expect 0 '%zmm' env TILE_CPU=x86-64-v4 "$tilec" add.tile -I lib --signature="$types" --emit=asm -o -
esac
expect 0 'warning: -D BLOCK: the signature gives it a value' "$tilec" add.tile \
  -I lib --signature="$types, 16" -D BLOCK=32 -o add.o
expect 2 "one.*two\|two.*one" "$tilec" two.tile
expect 2 "did you mean 'one'" "$tilec" two.tile --kernel=onee
add 2 'needs a GPU target' --emit=cubin
add 2 'needs a GPU target' --emit=layout
add 1 'not supported yet' --emit=header
add 2 'needs a GPU target' --emit=ptx
add 2 'for --target=cpu' --emit=obj --target=sm_80

# -- Outputs -----------------------------------------------------------------

add 0 'a name twice' --emit=tokens
add 0 'add' --emit=ast
add 0 'kernel @add' --emit=ir
add 0 'define.*add' --emit=llvm
add 0 'add:' --emit=asm
add 0 '' -o add.o
contains add.o ELF
expect 0 '' "$tilec" add.tile -I lib --signature="$types"
contains add.o ELF
add 0 'kernel @add' --emit=ir -o -
add 0 '' --emit=ir -o add.tir
contains add.tir 'kernel @add'
add 0 '' --emit=llvm -o /dev/null
add 0 '' -o other.o
add 0 '' -o again.o
cmp other.o again.o >/dev/null 2>&1 || complain 'two runs differ'
add 0 '' -o /dev/null --num-stages=0
add 0 '' --emit=ir --target=cpu,cpu -o both.tir
contains both.cpu.tir 'kernel @add'
add 0 '' -o temps.o --save-temps
for suffix in frontend.tir tir ll s; do contains temps.$suffix add; done

# -- Build systems -----------------------------------------------------------

add 0 '' -o add.o -MD
contains add.d '^add.o: add.tile lib/helpers.tile$'
add 0 '' -o add.o -MD -MF rule.d -MT 'my add.o'
contains rule.d '^my\\ add.o: '
rm -f add.o
add 3 "cannot write '/nowhere/x'" -o add.o -MD -MF /nowhere/x
[ ! -e add.o ] || complain 'an output was left behind'
add 2 'there is no configuration 5' -o add.o --config=5

# -- Dumps and timings -------------------------------------------------------

add 0 'cse' -o /dev/null --time-passes
add 0 'codegen' -o /dev/null --time-passes
add 0 'kernel @add' -o /dev/null --print-after=cse
add 0 'kernel @add' -o /dev/null --print-before='*'
add 0 'kernel @add' --stop-after=frontend
add 0 'kernel @add' --stop-after=cse
add 0 '' -o /dev/null --verify-each --disable-pass=cse,licm
add 0 'add for cpu' -v -o /dev/null
add 0 'scratch' --resource-usage -o /dev/null

# -- Diagnostics -------------------------------------------------------------

echo 'x = missing' >>lib/helpers.tile
printf '@jit\ndef k(x):\n    y = nope\n' >bad.tile
expect 1 '^bad.tile:3:9: error: ' "$tilec" bad.tile --signature='*fp32'
expect 1 '^{"severity": "error", "file": "bad.tile", "line": 3, "column": 9' \
  "$tilec" bad.tile --signature='*fp32' --diagnostics-format=json
expect 1 "$(printf '\033')" "$tilec" bad.tile --signature='*fp32' --color=always
run "$tilec" bad.tile --signature='*fp32' --color=auto
grep -q "$(printf '\033')" err && complain 'colours without a terminal'
printf '@jit\ndef k(x):\n    a = b\n    c = d\n    e = (\n' >many.tile
yes '    y = 1 +' | head -50 >>many.tile
expect 1 error "$tilec" many.tile --error-limit=2 --signature='*fp32'
[ "$(grep -c ' error: ' err)" -le 3 ] || complain 'more than 2 errors'
{ printf '@jit\ndef k(x):\n'; yes '    y = = 1' | head -40; } >many.tile
expect 1 error "$tilec" many.tile --error-limit=30 --signature='*fp32'
[ "$(grep -c ' error: ' err)" -eq 30 ] || complain 'not 30 errors'
expect 2 '^{.*"message": "no file' "$tilec" --diagnostics-format=json
expect 2 '^{.*"id": "no_such_option"' "$tilec" --nosuch --diagnostics-format=json

finish
