#!/bin/sh
# effects.sh TILEC OPTIONS.DEF [PART PARTS] -- each option of tilec has its
# effect, and without the option there is none.  Each row of options.def has a
# case here.
options_def=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
part=${3:-0} parts=${4:-1}
. "$(dirname "$0")/expect.sh"
unset TILE_CPU TILE_CPU_TIER TILE_TUNED_DIR TILE_CACHE_SIZE

mkdir lib && cat >lib/helpers.py <<'END'
import triton

@triton.jit
def twice(x):
    return x + x
END
cat >k.py <<'END'
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(n > 0)
    a = tl.load(x + i, mask=i < n)
    tl.store(y + i, a * a + a, mask=i < n)

@triton.jit
def fill(x, a: tl.float32):
    tl.store(x + tl.program_id(0), a)

@triton.jit
def above(x, u: tl.uint32):
    tl.store(x, (u > -1).to(tl.int32))
END
cat >far.py <<'END'
import triton
import triton.language as tl
from helpers import twice

@triton.jit
def far(x):
    tl.store(x, twice(tl.load(x)))
END
cat >tuned.py <<'END'
import triton
import triton.language as tl

def clear(nargs):
    nargs['y'].zero_()

@triton.autotune(configs=[triton.Config({'BLOCK': 16}, pre_hook=clear),
                          triton.Config({'BLOCK': 32}, num_warps=2, pre_hook=clear)], key=['n'])
@triton.jit
def add(y, n, BLOCK: tl.constexpr):
    tl.atomic_add(y + tl.arange(0, 4), BLOCK)
END
cat >wrong.py <<'END'
import triton
import triton.language as tl

@triton.jit
def wrong(x):
    tl.store(x, 1 +)

@triton.jit
def worse(x:
    tl.store(x, 2)
END
cat >mixed.py <<'END'
import triton
import triton.language as tl

@triton.jit
def broken(x):
    tl.store(x, 1 +)

@triton.jit
def bad(x: tl.int32):
    tl.store(x, 1)
    tl.stroe(x, 2)
END
cat >bench.py <<'END'
import triton
import triton.language as tl

@triton.jit
def fill(x, n):
    tl.store(x + tl.program_id(0), n)

@triton.testing.perf_report(
    triton.testing.Benchmark(x_names=['n'], x_vals=[2, 4], line_arg='provider',
                             line_vals=['torch', 'triton-own'], line_names=['Torch', 'Own'],
                             ylabel='ms', plot_name='fills',
                             args={'m': 7, 'kind': 'fp16', 'size': '7x', 'word': ''}))
def bench(n, m, kind, size, word, provider):
    pass
END
printf 'scale(*fp32, *fp32, i32)\n' >variants
echo '{"version": 1}' >old.json

# look COMMAND...: exit code, streams, and new files, all in $seen.
look() {
  touch stamp
  run "$@"
  {
    echo "exit code $code"
    cat out err
    find . -newer stamp -type f ! -name out ! -name err ! -name seen | sort |
      while read -r file; do
        echo "written: $file"
        cat "$file"
      done
  } | tr -d '\0' >seen
}

# effect NAME PATTERN COMMAND... -- OPTIONS...: the result of the command has a
# line with the pattern, and without the options it has none; or the other way
# round, if the pattern begins with a !.
number=0
effect() {
  echo "$1" >>tried
  number=$((number + 1))
  [ $((number % parts)) = "$part" ] || return 0
  name=$1 pattern=$2
  shift 2
  words=0
  for word; do
    [ "$word" != -- ] || break
    words=$((words + 1))
  done
  set -- "$words" "$@"
  with "$@" && without "$@"
}

# prepare COUNT COMMAND...: run for the next effects, if any of them runs.
prepare() {
  count=$1
  shift
  while [ "$count" -gt 0 ]; do
    [ $(((number + count) % parts)) != "$part" ] || run "$@"
    count=$((count - 1))
  done
}

# with INDEX ARGUMENTS..., without ...: the argument of that index is the --.
with() {
  words=$1 n=0
  shift
  for word; do
    shift
    [ "$n" = "$words" ] || set -- "$@" "$word"
    n=$((n + 1))
  done
  look "$@"
  judge with "${pattern#!}" "${pattern%"${pattern#?}"}"
}

without() {
  words=$1 n=0
  shift
  for word; do
    shift
    [ "$n" -ge "$words" ] || set -- "$@" "$word"
    n=$((n + 1))
  done
  look "$@"
  judge without "${pattern#!}" "${pattern%"${pattern#?}"}"
}

# judge HOW PATTERN FIRST: FIRST is the first character of the effect's pattern.
judge() {
  wanted=no found=no
  case $1$3 in with! | without[!!]*) ;; *) wanted=yes ;; esac
  ! grep -q -e "$2" seen || found=yes
  if [ "$found" = "$wanted" ]; then
    passed=$((passed + 1))
  else
    head -30 seen >out && : >err
    complain "$1 --$name, is '$2' to be seen: $wanted, it is: $found"
  fi
}

# -- Compiling ---------------------------------------------------------------

of() {
  name=$1 pattern=$2
  shift 2
  effect "$name" "$pattern" "$tilec" k.py "$@"
}
ir='--emit=ir -o -' sig='--signature=*fp32:16,*fp32:16,i32' scale=--kernel=scale
of kernel 'kernel @fill' $ir --signature='*fp32,fp32' -- --kernel=fill
of signature '%x: ptr<f16>' $ir $scale -- --signature='*fp16,*fp16,i32'
of define 'tile<32x' $ir $scale $sig -- -D BLOCK=32
of define 'tile<8x' $ir $scale $sig -- --define=BLOCK=8
gpu='--target=sm_80'
of num-warps 'num_warps = 8' $ir $scale $sig $gpu -- --num-warps=8
of num-warps '^.reqntid 32,' $scale $sig $gpu -o - -- --num-warps=1
of num-stages 'num_stages = 5' $ir $scale $sig $gpu -- --num-stages=5
of persist 'persist = true' $ir $scale $sig $gpu -- --persist=always
of persist 'persist = false' $ir $scale $sig $gpu -- --persist=never
of num-ctas 'num_ctas = 2\|cluster' $ir $scale $sig --target=sm_90 -- --num-ctas=2
effect config 'constant {value = 32}' "$tilec" tuned.py $ir --signature='*i32,i32' -- --config=1
effect config 'num_warps = 2' "$tilec" tuned.py $ir $gpu --signature='*i32,i32' -- --config=1
of triton 'cmpi %u' $ir --kernel=above --signature='*i32,u32' -- --triton=3.8
of no-fp-fusion 'mul.*f32' $scale $sig $gpu -o - -- --no-fp-fusion
of debug 'device_assert' $ir $scale $sig -- --debug
effect include 'kernel @far' "$tilec" far.py $ir --signature='*fp32' -- -I lib
effect include 'kernel @far' "$tilec" far.py $ir --signature='*fp32' -- --include=lib
of output 'written: ./o.tir' --emit=ir $scale $sig -- -o o.tir
for kind in 'ir:^kernel @scale' 'llvm:^define ' 'asm:^kernel_scale:' 'ast:^function@5:5 scale' \
    'tokens:^1:8 a name triton' 'module:^scale: unknown' 'reflect-json:"name": "scale"'; do
  of emit "${kind#*:}" $scale $sig -o - -- --emit="${kind%%:*}"
done
of emit 'exit code 0' $scale $sig --emit=layout -o - -- $gpu
of emit 'lane' $scale $sig $gpu -o - -- --emit=layout
for target in sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a; do
  of target "^.target $target\$" $scale $sig -o - -- --target=$target
done
of target 'written: ./t.sm_80.*' $scale $sig --emit=ir -o t.tir -- --target=cpu,sm_80
case $(uname -m) in x86_64)
  effect cpu '%zmm' env TILE_CPU=x86-64 "$tilec" k.py $scale $sig --emit=asm -o - -- --cpu=x86-64-v4
  effect cpu '!%zmm' env TILE_CPU=x86-64-v4 "$tilec" k.py $scale $sig --emit=asm -o - -- --cpu=x86-64-v3
esac
of tier '!sfence' $scale $sig --emit=asm --cpu=x86-64-v4 -o - -- --tier=0
of ptx-version '^.version 8.4' $scale $sig $gpu -o - -- --ptx-version=8.4
of maxnreg '^.maxnreg 40' $scale $sig $gpu -o - -- --maxnreg=40
of lineinfo '^	.loc' $scale $sig $gpu -o - -- -lineinfo
odd=$(printf 'a"b\\c\td\303\251 ~\177.py')
cp k.py "$odd"
effect lineinfo "^	.file	1 \"a'b\\\\\\\\c\\\\td\\\\303\\\\251 ~\\\\177.py\"\$" "$tilec" "$odd" $scale $sig $gpu \
  -o - -- -lineinfo
of save-temps 'written: ./o.ll' $scale $sig -o o.o -- --save-temps
of save-temps 'written: ./o.tir' $scale $sig -o o.o -- --save-temps
of save-temps 'written: ./o.s' $scale $sig -o o.o -- --save-temps
of MD 'written: ./o.d' $scale $sig -o o.o -- -MD
of MF 'written: ./x.d' $scale $sig -o o.o -MD -- -MF x.d
of MT '^all: ' $scale $sig -o o.o -MD -- -MT all
of diagnostics-format '"severity"' --kernel=none -- --diagnostics-format=json
of color '.\[' --kernel=none -- --color=always
of Werror 'exit code 1' $scale $sig -o o.o -lineinfo -- -Werror
effect error-limit '!wrong.py:6' "$tilec" wrong.py --kernel=wrong -o o.o -- --error-limit=1
of verbose '^tilec: scale for cpu, as obj to o.o' $scale $sig -o o.o -- -v
of verbose '^tilec: scale for cpu' $scale $sig -o o.o -- --verbose
of time-passes 'canonicalize' $scale $sig -o o.o -- --time-passes
of resource-usage 'scratch memory' $scale $sig -o o.o -- --resource-usage
of resource-usage '"shared_bytes": 0' $scale $sig $gpu -o o.ptx -- --resource-usage=json
of print-before '^// before cse' $scale $sig -o o.o -- --print-before=cse
of print-after '^// after cse' $scale $sig -o o.o -- --print-after=cse
of stop-after '!contiguity' $scale $sig $ir -- --stop-after=frontend
of disable-pass '!^ .* pass licm' $scale $sig -o o.o --time-passes -- --disable-pass=cse,licm
of disable-pass '!^ .* pass cse' $scale $sig -o o.o --time-passes -- --disable-pass=cse,licm
echo verify-each >>tried # shows only faults of passes
of print-targets '^sm_90a$' -- --print-targets
of print-targets '"name": "sm_90a"' -- --print-targets=json
for end in tir ll s; do
  of save-temps "written: ./tilec-out.$end" $scale $sig -o - -- --save-temps
done
of resource-usage '^scale for sm_80: 8 warps; .*; 0 bytes of shared memory$' $scale $sig $gpu \
  --num-warps=8 -o o.ptx -- --resource-usage
of resource-usage '^scale for sm_80: 1 warp; .*' $scale $sig $gpu --num-warps=1 -o o.ptx -- --resource-usage
of resource-usage 'fits: .* programs on an SM at once.*; 64 of 64 warps$' $scale $sig $gpu -o o.ptx \
  -- --resource-usage
of resource-usage "each of a program's 2 blocks; .*" $scale $sig --target=sm_90 --num-ctas=2 -o o.ptx \
  -- --resource-usage
of resource-usage 'fits: .* blocks on an SM at once.*; 64 of 64 warps$' $scale $sig --target=sm_90 \
  --num-ctas=2 -o o.ptx -- --resource-usage
mixed() {
  name=$1 pattern=$2
  shift 2
  effect "$name" "$pattern" "$tilec" mixed.py "$@"
}
mixed emit '!mixed.py:10' -o o.o -- --emit=ast
mixed emit '!mixed.py:10' -o o.o -- --emit=module
mixed emit '!mixed.py:10' -o o.o -- --emit=reflect-json
mixed emit '!mixed.py:6' -o o.o -- --emit=tokens
mixed error-limit '!mixed.py:10' -o o.o -- --error-limit=1
mixed error-limit '!mixed.py:11' -o o.o -- --error-limit=2
mixed kernel '!mixed.py:10' -o o.o -- --kernel=broken
of help '^usage: tilec' -- --help
of version '^tilec [0-9]' -- --version

# -- Launching ---------------------------------------------------------------

launches() {
  name=$1 pattern=$2
  shift 2
  effect "$name" "$pattern" "$tilec" run k.py --kernel=fill "$@"
}
on='--device=cpu' x='x=zeros:fp32[4]' a='a=3'
launches device '\[0\] 0 0 0 0' $on --grid=2 --arg $x --arg $a --print x -- --device=null
launches grid '\[0\] 3 3 3 0' $on --arg $x --arg $a --print x -- --grid=3
launches grid '\[0\] 3 3 3 0' $on --grid=1 --arg $x --arg $a --print x -- '--grid=7//2, 1'
launches arg '\[0\] 3 0 0 0' $on --grid=1 --arg $x --print x -- --arg a=3
launches arg '\[0\] 4.5 0 0 0' $on --grid=1 --arg $x --print x -- --arg a=9/2
echo launch-pdl >>tried # the fake driver of runtime.test_device_cuda sees it
launches seed '0.318090647 0.231922776' $on --grid=2 --arg x=rand:fp32[4] --arg $a --print x -- --seed=3
launches save 'written: ./y.npy' $on --grid=1 --arg $x --arg $a -- --save x=y.npy
launches print '^x: fp32\[4\]$' $on --grid=1 --arg $x --arg $a -- --print x
launches print '16 more$' $on --grid=1 --arg x=zeros:fp32[4x8] --arg $a -- --print x:2
prepare 2 "$tilec" run k.py --kernel=fill $on --grid=2 --arg $x --arg a=4 --save x=four.npy
launches reference 'largest error 0.2 at' $on --grid=2 --arg $x --arg $a -- --reference x=four.npy
launches tolerance ': ok$' $on --grid=2 --arg $x --arg $a --reference x=four.npy -- --tolerance=0.21
prepare 1 "$tilec" run k.py --kernel=fill $on --grid=2 --arg $x --arg a=3.00001 --save x=near.npy
launches tolerance 'exit code 5' $on --grid=2 --arg $x --arg $a --reference x=near.npy -- --tolerance=1e-6
launches require-written 'exit code 5' $on --grid=2 --arg x=empty:fp32[4] --arg $a \
  -- --require-written
launches time 'to .* in 3 launches' $on --grid=1 --arg $x --arg $a -- --time=3
launches time 'to .* in 20 launches' $on --grid=1 --arg $x --arg $a -- --time
launches time '"launches": 3}' $on --grid=1 --arg $x --arg $a -- --time=3,json
launches stats 'global store  *8 ' $on --grid=2 --arg $x --arg $a -- --stats
launches stats '"programs":2,' $on --grid=2 --arg $x --arg $a -- --stats=json
launches verbose 'compiled fill for cpu' $on --grid=2 --arg $x --arg $a -- --verbose
add='--device=cpu --grid=1 --arg y=full(5):i32[4] --arg n=1'
effect no-hooks '\[0\] 21 21 21 21' "$tilec" run tuned.py $add --print y -- --no-hooks
effect config '\[0\] 32 32 32 32' "$tilec" run tuned.py $add --print y -- --config=1
effect config 'the best configuration of' "$tilec" run tuned.py $add --tuned=off -- --config=best

# -- Tuning ------------------------------------------------------------------

again() { effect "$1" "$2" "$tilec" tune tuned.py $add --tuned=off "$3" "$4" "$5" "$6"; }
again rounds ' 3 *0  BLOCK=16' --no-hooks --seed=0 -- --rounds=3
again try 'BLOCK=8$\|BLOCK=8 ' --rounds=1 --seed=0 -- --try=BLOCK=8,16
effect where 'best: BLOCK=32' "$tilec" tune tuned.py $add --tuned=off --rounds=1 --try BLOCK=16:32 \
  -- '--where=BLOCK > 16'
effect tuned 'written: ./kept/' "$tilec" tune tuned.py $add --rounds=1 -- --tuned=kept
prepare 1 "$tilec" tune tuned.py $add --rounds=1 --tuned=kept2
effect merge '^add on cpu' "$tilec" tune --tuned=new -- --merge=kept2

# -- Measuring ---------------------------------------------------------------

fill='--kernel=fill --device=cpu --grid=n --arg x=zeros:fp32[64]'
measures() {
  name=$1 pattern=$2
  shift 2
  effect "$name" "$pattern" "$tilec" bench k.py $fill --arg a=1 --rounds=2 "$@"
}
measures sweep '^ *4 *0' -- --sweep n=2,4
measures sweep '^ *8 *0' -- --sweep n=2:8
measures bytes 'GB/s$' --sweep n=2 -- --bytes=4*n
measures flops 'TFLOP/s$' --sweep n=2 -- --flops=n
measures count 'GB/s *TFLOP/s$' --sweep n=2 -- --count
measures peer '1\.500000$' --sweep n=2 -- --peer 'p=echo 1.5'
measures json '"launches": 2' --sweep n=2 -- --json=-
measures csv '^2,fill,' --sweep n=2 -- --csv=-
measures plot 'written: ./fills.gp' --sweep n=2 -- --plot=fills.gp
prepare 1 "$tilec" bench k.py $fill --arg a=1 --rounds=2 --sweep n=2 --json=kept.json
measures compare 'fill before ms' --sweep n=2 -- --compare=kept.json
measures rounds '"launches": 5' --sweep n=2 --json=- -- --rounds=5
effect report '^ *n *m *Own ms' "$tilec" bench bench.py $fill --rounds=2 -- --report
effect report '^ *n *m *Own ms' "$tilec" bench bench.py $fill --rounds=2 -- --report=fills
effect report 'say which report' "$tilec" bench bench.py $fill --rounds=2 -- --report=none

# -- Packs and the cache -----------------------------------------------------

packs() {
  name=$1 pattern=$2
  shift 2
  effect "$name" "$pattern" "$tilec" pack k.py "$@"
}
packs variants 'written: ./o.tilepack' -o o.tilepack -- --variants=variants
packs output 'written: ./o.tilepack' --variants=variants -- -o o.tilepack
packs header 'written: ./o.h' --variants=variants -o o.tilepack -- --header=o.h
packs record 'launched nothing' -o o.tilepack -- --record=true
packs target 'sm_80' --variants=variants -o o.tilepack -- $gpu
packs MD 'written: ./o.*\.d$' --variants=variants -o o.tilepack -- -MD
if [ -n "$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)" ]; then
  packs cubin 'sm_80.*ELF\|.ELF' --variants=variants $gpu -o o.tilepack -- --cubin
else
  echo cubin >>tried
fi
launches cache-dir 'written: ./kept3/' $on --grid=1 --arg $x --arg $a -- --cache-dir=kept3
effect cache-dir '^folder .*/kept4$' "$tilec" cache stats -- --cache-dir=kept4
effect cache-size '^limit *10485760$' "$tilec" cache --cache-dir=kept4 stats -- --cache-size=10M

# -- Every option ------------------------------------------------------------

all_are_tried() {
  sed -n 's/^OPTION([A-Z_]*, "\([^"]*\)".*/\1/p' "$options_def" | sort -u >known
  what='every option has a case'
  sort -u tried >tried.all
  lost=$(comm -23 known tried.all | tr '\n' ' ')
  [ -z "$lost" ] || complain "$lost"
}

all_are_tried
finish
