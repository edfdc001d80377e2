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

for type in fp64 fp32 fp16 bf16 fp8e5 fp8e4nv fp8e4b15 i8 i16 i32 i64 u8 u16 u32 u64; do
  copy 0 '' --grid=3 --arg "x=randn:$type[5x7]" --arg "y=empty:$type[5x7]" \
    --arg n=35 --save x=x.npy --save y=y.npy
  cmp x.npy y.npy >/dev/null || complain "$type: the copy differs"
  copy 0 'ok$' --grid=3 --signature="*$type, *$type, i32" --arg x=@x.npy \
    --arg "y=empty:$type[5x7]" --arg n=35 --reference y=x.npy --tolerance=0
done

# -- Files of types that NumPy lacks -------------------------------------------

# descr TYPE DESCR: the type of elements that a saved file names.
descr() {
  copy 0 '' --grid=1 --arg "x=full(1.5):$1[16]" --arg "y=zeros:$1[1]" --arg n=0 \
    --save x=x.npy
  head -c 128 x.npy | grep -q "'descr': '$2'" || complain "$1 is no $2"
}
y='--arg y=zeros:i8[1] --arg n=0'
for file in 'bf16 <V2' 'fp8e5 <f1'; do
  set -- $file
  descr "$1" "$2"
  copy 0 '' --grid=1 --arg x=@x.npy $y --save x=again.npy
  cmp x.npy again.npy || complain "$1 comes back as another type"
done
for type in fp8e4nv fp8e4b15; do
  descr $type '|V1'
  copy 3 "x.npy.*'|V1' may be any floats of 8 bits.*@FILE:fp8e4nv" --grid=1 \
    --arg x=@x.npy $y
  copy 0 'ok$' --grid=1 --arg x=@x.npy:$type $y --reference x=x.npy \
    --tolerance=0 --save x=again.npy
  cmp x.npy again.npy || complain "$type comes back as another type"
  copy 2 "the type of 'x' is .$type, but this is an array of fp8e5" --grid=1 \
    --arg x=@x.npy:fp8e5 $y --signature="*$type, *i8, i32"
done
copy 3 'may be any floats of 8 bits' --grid=1 --arg 'x=full(1.5):fp32[16]' $y \
  --reference x=x.npy
copy 0 'ok$' --grid=1 --arg 'x=full(1.5):fp32[16]' $y \
  --reference x=x.npy:fp8e4b15 --tolerance=0
copy 3 "its elements are floats of 8 bits, but fp32 are needed" --grid=1 \
  --arg x=@x.npy:fp32 $y
copy 2 "@x.npy:fp9: there is no type 'fp9'" --grid=1 --arg x=@x.npy:fp9 $y
copy 3 "cannot open 'nothing.npy:fp9'" --grid=1 --arg x=@nothing.npy:fp9 $y
copy 3 "cannot open 'nothing.npy'" --grid=1 --arg x=@nothing.npy:fp16 $y
cp x.npy x.npy:fp16
copy 3 "x.npy:fp16.*may be any floats of 8 bits" --grid=1 --arg x=@x.npy:fp16 $y
copy 0 '' --grid=1 --arg x=@x.npy:fp16:fp8e4b15 $y

# -- Descriptors -------------------------------------------------------------

cat >desc.tile <<'END'
@jit
def double(d):
    d.store([0, 0], d.load([0, 0]) * 2)
END
double() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run desc.tile --grid=1 --arg "$@"
}
copy 0 '' --grid=1 --arg 'x=full(4):fp32[3x4]' --arg 'y=zeros:fp32[1]' \
  --arg n=0 --save x=fours.npy
double 0 'ok$' 'd=desc(full(2):fp32[3x4], [4, 4])' --reference d=fours.npy
double 0 'ok$' 'd=desc(full(2):fp32[3x4],[4,4], nan)' --reference d=fours.npy
double 5 '4 of 12 elements' 'd=desc(full(2):fp32[3x4],[2,4])' \
  --reference d=fours.npy
for bad in 'desc(3, [4, 4])' 'desc(zeros:fp32[3x4], [4])' 'desc(zeros:fp32[4x4]' \
  'desc(zeros:fp32[3x4], [4, 4], 1)' 'desc(zeros:fp32[3x4])' 'desc(' \
  'desc(zeros:fp32[3x4], [4, 0])' 'desc(zeros:fp32[3x4], [4, 4]) ' \
  'desc(zeros:fp32[3x4], [4, 4, 4])' 'desc(zeros:fp32[3x4], [4, 4] x)'; do
  double 2 'a descriptor is desc' "d=$bad"
done
double 2 'a stride that 16 bytes do not divide' 'd=desc(zeros:fp32[3x3], [4, 4])'
double 1 'is 16 bytes or more' 'd=desc(zeros:fp16[3x8], [4, 4])'

# The signature gives the type of a file's bytes, in a tuple, too.
for type in fp8e5 fp8e4nv bf16; do
  copy 0 '' --grid=1 --arg "x=full(2):$type[4x16]" --arg "y=zeros:$type[1]" \
    --arg n=0 --save x=twos.npy
  copy 0 '' --grid=1 --arg "x=full(4):$type[4x16]" --arg "y=zeros:$type[1]" \
    --arg n=0 --save x=fours.npy
  double 0 'ok$' 'd=desc(@twos.npy, [4, 16])' --reference d=fours.npy \
    --signature="tensordesc<$type[4, 16]>"
done
for bad in 'bf16[4, 8' 'fp16[4, 16' 'bf16[64'; do
  double 2 'but this is tensordesc<bf16.4, 16.>' \
    'd=desc(zeros:bf16[4x16], [4, 16])' --signature="tensordesc<$bad]>"
done
double 3 'its elements are bf16, but fp8e5 are needed' \
  'd=desc(@twos.npy, [4, 16])' --signature='tensordesc<fp8e5[4, 16]>'
double 2 'a descriptor is desc' d=@twos.npy --signature='tensordesc<bf16[4, 16]>'
expect 2 "misses its argument 'd'" "$tilec" run desc.tile --grid=1 \
  --signature='tensordesc<bf16[4, 16]>'

# -- Tuples ------------------------------------------------------------------

cat >tuple.tile <<'END'
@jit
def fill(t):
    i = tl.arange(0, t.shape[1])
    tl.store(t.out + i, t.value + i * 0.0)
END
copy 0 '' --grid=1 --arg 'x=full(4):fp32[4]' --arg 'y=zeros:fp32[1]' \
  --arg n=0 --save x=four.npy
fill() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run tuple.tile --grid=1 --arg "$@"
}
fill 0 'ok$' 't=(out=empty:fp32[4], value = 4.0, shape=(2, constexpr(4)))' \
  --reference t_0=four.npy --tolerance=0
fill 2 'either all items of a tuple have names, or none' 't=(out=zeros:fp32[4], 4)'
fill 1 "'end' of 'arange' wants a constant integer" \
  't=(out=zeros:fp32[4], value=4, shape=(2, 4))'
fill 2 'nothing more is wanted here' 't=(out=zeros:fp32[4], value=constexpr(4, 1))'

cat >mixed.tile <<'END'
@jit
def mixed(p, t):
    static_assert(t[0] == 3 and t[2][0] == "a")
    tl.store(p, t[1] + t[0])
END
mixed() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run mixed.tile --grid=1 --device=cpu \
    --signature='*fp32, (3, i32, ("a", None))' --arg p=zeros:fp32[1] "$@"
}
mixed 0 '' --arg 't=(3, 4, ("a", None))'
mixed 2 "t_0=4: by the signature, this is another constant" --arg 't=(4, 4, ("a", None))'
mixed 2 "misses its argument 't'"

cat >two.tile <<'END'
@jit
def two(t):
    i = tl.arange(0, 16)
    tl.store(t[1] + i, tl.load(t[0] + i).to(tl.float32) * 2)
END
copy 0 '' --grid=1 --arg 'x=full(2):fp8e5[16]' --arg 'y=zeros:fp8e5[1]' \
  --arg n=0 --save x=twos.npy
copy 0 '' --grid=1 --arg 'x=full(4):fp32[16]' --arg 'y=zeros:fp32[1]' \
  --arg n=0 --save x=fours.npy
two() {
  wanted=$1 pattern=$2 signature=$3
  shift 3
  expect "$wanted" "$pattern" "$tilec" run two.tile --grid=1 \
    --signature="$signature" --arg "$@"
}
two 0 'ok$' '(*fp8e5, *fp32)' 't=(@twos.npy, zeros:fp32[16])' \
  --reference t_1=fours.npy
two 2 "the type of 't_1' is .fp32, but this is an array of fp16" \
  '(*fp8e5, *fp32)' 't=(@twos.npy, zeros:fp16[16])'
two 2 "'t' is a tuple of 2 items" '(*fp8e5, *fp32)' 't=(@twos.npy,)'
two 2 "'t' is a tuple of 2 items" '(*fp8e5, *fp32)' t=1
two 2 'given twice' '(2, 1)' 't=(2, 1)'

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

# These integers are equal as doubles.
copy 0 '' --grid=1 --arg 'x=full(9007199254740993):i64[4]' --arg 'y=empty:i64[4]' \
  --arg n=4 --save y=y.npy
copy 5 'largest error 1.11e-16 at \[0\]: found 9007199254740992, expected 9007199254740993' \
  --grid=1 --arg 'x=full(9007199254740992):i64[4]' --arg 'y=empty:i64[4]' \
  --arg n=4 --reference y=y.npy --tolerance=0

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

# From 2**63 on an integer is unsigned.
cat >number.tile <<'END'
@jit
def number(x, n, TYPE: tl.constexpr):
    tl.static_assert(n.dtype == TYPE)
    tl.store(x, n)
END
number() {
  wanted=$1 pattern=$2 n=$3 type=$4
  shift 4
  expect "$wanted" "$pattern" "$tilec" run number.tile --grid=1 --arg "n=$n" \
    --arg "x=zeros:$type[1]" --arg "TYPE=tl.$(echo "$type" | sed 's/u/uint/; s/i\([0-9]\)/int\1/')" "$@"
}
number 0 '' 2147483648 i64
number 0 '' 0x7fffffffffffffff i64
number 0 '' -9223372036854775808 i64
number 0 '' 9223372036854775808 u64 --save x=x.npy
tail -c 8 x.npy | od -An -tx8 | grep -q 8000000000000000 ||
  complain '2**63 is another number'
number 0 '' 18446744073709551615 u64
number 2 'does not fit into 64 bits' 18446744073709551616 u64
number 2 'does not fit into 64 bits' -9223372036854775809 i64
number 2 'which cannot hold 9223372036854775808' 9223372036854775808 i64 \
  --signature='*i64, i64'

# -- Devices and timing ------------------------------------------------------

args='--arg x=rand:fp32[16] --arg y=empty:fp32[16] --arg n=16'
copy 0 'median .* ms, from .* in 20 launches' --grid=1 $args --time
copy 0 'in 3 launches' --grid=1 $args --time=3
copy 0 '' --grid=1 $args --device=null
copy 4 'no CUDA driver\|no GPU' --grid=1 $args --device=cuda:99
copy 0 '' --grid=1 $args --device=sim
# -- Rows that a loop masks ----------------------------------------------------

# The same at the ends of integers, where the remaining distance wraps.
cat >rows.tile <<'END'
@jit
def rows(x, y, stride, n, trips):
    row = tl.arange(0, 32)[:, None]
    at = x + row * stride + tl.arange(0, 32)[None, :]
    sum = tl.zeros((32, 32), tl.float32)
    for i in range(0, trips):
        sum += tl.load(at, mask=row < n - i, other=0.0)
        at += 1
    tl.store(y + row * stride + tl.arange(0, 32)[None, :], sum)
END
for n in -2147483648 -2147483647 -5 0 1 17 34 2147483647; do
  set -- rows.tile --grid=1 --num-warps=4 --arg x=randn:fp16[1216] \
    --arg y=zeros:fp16[1216] --arg stride=37 --arg n=$n --arg trips=3
  expect 0 '' "$tilec" run "$@" --device=cpu --save y=rows.npy
  expect 0 'ok$' "$tilec" run "$@" --device=sim --reference y=rows.npy \
    --tolerance=0
done

# -- Launches that may overlap -------------------------------------------------

cat >early.tile <<'END'
@jit
def early(x: *i32):
    tl.extra.cuda.gdc_wait()
    tl.store(x, tl.load(x) + 1)
    tl.extra.cuda.gdc_launch_dependents()
END
early='--grid=1 --launch-pdl --arg x=zeros:i32[1] --save x=x.npy'
expect 0 '' "$tilec" run early.tile --device=cpu $early
TILE_SIM_CHIP=sm_90 expect 0 '' "$tilec" run early.tile --device=sim $early
expect 2 'an option of .tilec run' "$tilec" early.tile --launch-pdl

# -- Arrays of another type ---------------------------------------------------

printf '@jit\ndef two(y, n):\n    tl.store(y, n)\n' >two.tile
two='--device=cpu --grid=1 --signature=*fp16,i32'
expect 2 "y=zeros:fp32.16.: the type of 'y' is \*fp16, but .* array of fp32" \
  "$tilec" run two.tile $two --arg 'y=zeros:fp32[16]' --arg n=3
expect 2 "the type of 'n' is i32, but this is an array of i32" \
  "$tilec" run two.tile $two --arg 'y=zeros:fp16[16]' --arg 'n=zeros:i32[1]'

# -- Chips of the simulator ----------------------------------------------------

TILE_SIM_CHIP=sm_70
export TILE_SIM_CHIP
copy 4 "TILE_SIM_CHIP is 'sm_70'; it wants sm_75, .* or sm_90" --grid=1 $args \
  --device=sim
unset TILE_SIM_CHIP
copy 2 "did you mean 'cpu'" --grid=1 $args --device=cpux

# -- A bug of the kernel's ---------------------------------------------------

# The accesses of a kernel on the CPU are not checked, but its crash is not
# reported as a bug of the compiler.
cat >wild.tile <<'END'
@jit
def wild(x: *fp32, far: i64):
    store(x + far, 1.0)
END
expect 4 "no argument's; --device=sim tells where" "$tilec" run wild.tile \
  --grid=1 --arg x=zeros:fp32[16] --arg far=1000000000000
[ -z "$(ls tilec-bug-* 2>/dev/null)" ] || complain 'a bug of ours is told'

# -- A bug of ours -----------------------------------------------------------

# A crash of the compiler leaves a file that compiles in the same way.
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

# -- Counters ----------------------------------------------------------------

# counted CODE PATTERN ARGUMENTS...: 3 programs of 1,024 elements, for 3,000
# elements
counted() {
  wanted=$1 pattern=$2
  shift 2
  copy "$wanted" "$pattern" --grid=3 -D BLOCK=1024 --arg 'x=arange:fp32[3000]' \
    --arg 'y=empty:fp32[3000]' --arg n=3000 "$@"
}
counted 2 '--stats is for --device=cpu and --device=sim, not null' --device=null --stats
counted 0 'global load  *12000 ' --stats
counted 2 'wants text or json' --device=sim --stats=xml
counted 0 'global load: 12000 bytes in 375 sectors, 100.0%' --device=sim --stats
counted 0 'copy.tile:4 .* 750 *0$' --device=sim --stats
counted 0 '"global store":{"warps":96,"threads":3000,"splits":0,"bytes":12000' \
  --device=sim --stats=json
counted 0 'in 2 launches' --device=sim --stats --time=2
# The user's own variable holds for the other launches.
export TILE_SIM_STATS=json:own.json
counted 0 'global load: 12000 bytes' --device=sim --stats --time=2
unset TILE_SIM_STATS
expect 0 'global load.*"bytes":12000' cat own.json

# -- Printing and assertions --------------------------------------------------

cat >show.tile <<'END'
@jit
def show(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    tl.device_print("v", v)
    tl.device_print("n", n, n.to(tl.int64) + 1, v.to(tl.float16) * 0.5)
    tl.device_print("hex 100%", i.to(tl.int16) - 1, hex=True)
    u = tl.sub(i[:, None].to(tl.uint32), tl.arange(0, 2)[None, :], False)
    tl.device_print("u ", u, u > 3)
    tl.device_print("pid", tl.program_id(1))
    print("done")
    tl.device_print("f", v, v.to(tl.bfloat16), v.to(tl.float64) / 3, hex=True)
    tl.device_print("e5", (-v).to(tl.float8e5), v.to(tl.float8e4b15), hex=True)
    tl.device_assert(i < n, "too many", mask=i != 7)
END
cat >lines <<'END'
pid (0, 1, 0) idx ( 3) v: 3.000000
pid (0, 1, 0) idx () n: (operand 0) 16
pid (0, 1, 0) idx () n: (operand 1) 17
pid (0, 1, 0) idx (14) n: (operand 2) 7.000000
pid (0, 1, 0) idx ( 0) hex 100%: 0xffff
pid (0, 1, 0) idx ( 0, 1) u: (operand 0) 4294967295
pid (0, 1, 0) idx ( 4, 0) u: (operand 1) 1
pid (0, 1, 0) idx () pid: 1
pid (0, 1, 0) done
pid (0, 1, 0) idx ( 0) f: (operand 0) 0x0p+0
pid (0, 1, 0) idx ( 3) f: (operand 0) 0x1.8p+1
pid (0, 1, 0) idx (11) f: (operand 1) 0x1.6p+3
pid (0, 1, 0) idx ( 1) f: (operand 2) 0x1.5555555555555p-2
pid (0, 1, 0) idx ( 3) e5: (operand 0) 0xc2
pid (0, 1, 0) idx ( 1) e5: (operand 1) 0x78
END

# show DEVICE N [OPTION]: prints and asserts that there are 16.
show() {
  run "$tilec" run show.tile --device="$1" --grid=1,2 -D BLOCK=16 \
    --signature='*i32, i32' --arg "x=arange:i32[$2]" --arg "n=$2" ${3:+"$3"}
}
for device in cpu sim; do
  show $device 14 --debug
  if [ "$code" = 4 ] && grep -q 'no simulator: libtilesim.so' err; then
    echo 'SKIP (part): the simulator is not built'
    continue
  fi
  [ "$code" = 4 ] || complain "exit code $code after a failed assertion"
  grep -q 'show.tile:14: .*too many' err || complain 'no place of the assert'
  export TRITON_DEBUG=1
  show $device 14
  unset TRITON_DEBUG
  [ "$code" = 4 ] || complain "exit code $code with TRITON_DEBUG=1"
  show $device 14
  [ "$code" = 0 ] || complain "exit code $code without --debug"
  show $device 16 --debug
  [ "$code" = 0 ] || complain "exit code $code"
  sort out >out.$device
  while read -r line; do
    grep -qxF -e "$line" out || complain "$device: no line '$line'"
  done <lines
done
[ ! -e out.sim ] || cmp out.cpu out.sim >/dev/null 2>&1 ||
  complain 'cpu and sim print different lines'

# If an error has no place in the file, the tool's name begins the message.
printf '@jit\ndef k(p, n: i32):\n    tl.store(p, n)\n' >whole.tile
expect 2 '^tilec: error: argument .n. of kernel .k. must be an integer' \
  "$tilec" run whole.tile --device=cpu --grid=1 --arg 'p=zeros:i32[4]' \
  --arg n=1.5

# The message is about the simulator's library. (In a sanitized build an RPATH
# finds the right library first.)
mkdir broken
: >broken/libtilesim.so
if ! readelf -d "$tilec" | grep -q '(RPATH)'; then
  LD_LIBRARY_PATH=$PWD/broken expect 4 \
    'no simulator: .*broken/libtilesim.so: file too short' \
    "$tilec" run show.tile --device=sim --grid=1 -D BLOCK=16 \
    --signature='*i32, i32' --arg 'x=arange:i32[4]' --arg n=4
fi

# -- Sums --------------------------------------------------------------------

cat >sums.tile <<'END'
@jit
def sums(n, s, x, BLOCK: tl.constexpr):
    tl.device_print("n", n)
    tl.device_print("s", s)
    tl.static_assert(BLOCK == 128)
END
# sums CODE PATTERN N S [BLOCK [X]]
sums() {
  expect "$1" "$2" "$tilec" run sums.tile --grid=1 --arg "n=$3" --arg "s=$4" \
    -D "BLOCK=${5:-128}" --arg "x=${6:-None}"
}
sums 0 'n: 27$' '(3 + 4)*5 - 2**3' 1 '2*64'
sums 0 's: 0.125000$' 1 '64**-0.5' '(1+1)*64'
sums 0 'n: -4$' -7//2 1
sums 0 'n: 1$' '-7 % 2' 1
sums 0 's: 0.500000$' 1 '-7.5 % 2'
sums 0 's: 9$' 1 '1.0 // 0.1'
sums 0 'n: -4$' '-2**2' 1
sums 0 'n: 512$' '2**3**2' 1
sums 0 's: 1.750000$' 1 7/4
sums 0 'n: 9223372036854775807$' '2**62 - 1 + 2**62' 1
sums 0 'n: -9223372036854775808$' '-2**63' 1
for n in '(1' '(1, 2' 'constexpr(1' '((1)'; do
  sums 2 "arg n=$n: a ')' is missing at the end" "$n" 1
done
for n in 2**63 '2**62 + 2**62' '-2**63 - 1' '-2**63 // -1' '3**1000000000'; do
  sums 2 'arg n: a number past 64 bits' "$n" 1
done
for s in 1/0 1//0 1%0 0**-1 1/0.0; do
  sums 2 'arg s: a division by zero' 1 "$s"
  sums 2 'D BLOCK: a division by zero' 1 1 "$s"
done
sums 2 'arg s: a power that is no real number' 1 '(-1)**0.5'
for n in 1+ '1 2' '2**' '1)' '*2' n+1; do
  sums 2 "arg n=$(printf %s "$n" | sed 's/\*/\\*/g'): neither" "$n" 1
done
expect 0 'x: fp32\[6x9\]' "$tilec" run sums.tile --grid=1 --arg n=1 --arg s=1 \
  --arg BLOCK=2**7 --arg 'x=zeros:fp32[2*3x2**3+1]' --print x
sums 2 'makes no sense' 1 1 128 'zeros:fp32[1-2]'

# -- Arrays like others, and printed -------------------------------------------

cat >to.tile <<'END'
@jit
def to(y, x, n):
    i = tl.arange(0, 32)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
END
# to CODE PATTERN ARGUMENTS...
to() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" run to.tile --grid=1 "$@"
}
to 0 'y: largest error 0 .*ok$' --arg x=arange:fp16[3x10] --arg y=like:x --arg n=30 \
  --save x=x.npy --reference y=x.npy --require-written
to 5 '10 of 30 elements were never written' --arg x=arange:fp16[3x10] \
  --arg y=like:x --arg n=20 --require-written
to 0 '' --arg x=@x.npy --arg 'y=full(2):like:x' --arg n=12 --print y:3 --print x:1
cat >wanted <<'END'
y: fp16[3x10]
  [0, 0] 0 1 2 3 4 5 6 7
  [0, 8] 8 9
  [1, 0] 10 11 2 2 2 2 2 2
  ... 12 more
x: fp16[3x10]
  [0, 0] 0 1 2 3 4 5 6 7
  ... 22 more
END
cmp out wanted || complain "another text"
to 0 'x: i8\[\]' --arg 'x=full(3):i8[]' --arg y=like:x --arg n=1 --print x
to 2 "x=like:z: there is no array 'z'" --arg x=like:z --arg y=zeros:i8[4] --arg n=1
to 2 "y=like:x: there is no array 'x'" --arg x=like:y --arg y=like:x --arg n=1
to 2 "y=like:n: there is no array 'n'" --arg x=zeros:i8[4] --arg y=like:n --arg n=1
to 2 "print z: kernel 'to' has no such parameter" --arg x=zeros:i8[4] \
  --arg y=like:x --arg n=1 --print z
to 2 'not a buffer' --arg x=zeros:i8[4] --arg y=like:x --arg n=1 --print n
for rows in 0 -1 x 3x ''; do
  to 2 'a number of rows from 1 is wanted' --arg x=zeros:i8[4] --arg y=like:x --arg n=1 \
    --print "x:$rows"
done

# Only elements that were poisoned before can be found unwritten.
to 0 '' --arg 'x=full(0):i1[4]' --arg y=like:x --arg n=0 --save x=zeros.npy
to 5 '4 of 4 elements.*, 0 of them never written' --arg 'x=full(1):i1[4]' \
  --arg y=zeros:like:x --arg n=0 --reference x=zeros.npy

# -- JSON --------------------------------------------------------------------

# json KEYS FILE: an object a line with these keys.
json() {
  python3 - "$@" <<'END' || complain "no such JSON"
import json, sys
keys, lines = sys.argv[1].split(), open(sys.argv[2]).read().splitlines()
ok = [set(keys) <= set(json.loads(line)) for line in lines]
sys.exit(not ok or not all(ok))
END
}
for time in json 3,json; do
  to 0 '' --arg x=zeros:i8[32] --arg y=like:x --arg n=32 --time=$time
  json 'kernel device median_ms min_ms max_ms launches' out
done
for time in ,json json,3 3,text text 3,; do
  to 2 'time wants a number' --arg x=zeros:i8[32] --arg y=like:x --arg n=32 \
    --time=$time
done
expect 0 '' "$tilec" --print-targets=json
json 'name gpu' out
expect 2 'print-targets wants text or json' "$tilec" --print-targets=xml
expect 0 '' "$tilec" to.tile --signature='*i8, *i8, i32' --target=sm_80,cpu \
  --resource-usage=json -o to.out
json 'kernel target' err
grep -q '"warps": 4, "shared_bytes": 0' err || complain "no warps"
expect 2 'resource-usage wants text or json' "$tilec" to.tile --target=sm_80 \
  --signature='*i8, *i8, i32' --resource-usage=xml -o to.out

# -- Brackets ------------------------------------------------------------------

# A comma makes a tuple, brackets alone do not, as in Python.
cat >brackets.tile <<'END'
@triton.jit
def number(y, n):
    tl.store(y, n)

@triton.jit
def first(y, t, C: tl.constexpr = (1,)):
    tl.store(y, t[0] + C[0])
END
bracket() { # bracket CODE PATTERN KERNEL ARGUMENTS...
  wanted=$1 pattern=$2 kernel=$3
  shift 3
  expect "$wanted" "$pattern" "$tilec" run brackets.tile --device=cpu --grid=1 \
    --kernel="$kernel" --arg y=zeros:i32[1] --print y "$@"
}
bracket 0 '\[0\] 3$' number --arg 'n=(1+2)'
bracket 0 '\[0\] 1$' number --arg 'n=(1)'
bracket 0 '\[0\] 9$' number --arg 'n=( (1 + 2) * (3) )'
bracket 1 'n' number --arg 'n=(1,)'
bracket 0 '\[0\] 6$' first --arg 't=(5,)'
bracket 0 '\[0\] 6$' first --arg 't=(2+3,)'
bracket 0 '\[0\] 6$' first --arg 't=(a=5)'
bracket 0 '\[0\] 12$' first --arg 't=((5), 6)' --arg 'C=(7, 8)'
bracket 0 '\[0\] 12$' first --arg 't=(5,)' -D 'C=((7),)'
bracket 0 '\[0\] 8$' first --arg 't=(5,)' -D 'C=(1+2,4)'
bracket 0 '\[0\] 8$' first --arg 't=(5,)' --arg 'C=(1+2,4)'
bracket 0 '\[0\] 8$' first --arg 't=(5,)' -D 'C=(n=(4 - 1), m=2**40)'
bracket 0 '\[0\] 8$' first --signature '*i32, (i32,), (1+2, 4)' --arg 't=(5,)'
bracket 2 'D C: a division by zero' first --arg 't=(5,)' -D 'C=(1, (1//0,))'
bracket 2 'signature: a division by zero' first --arg 't=(5,)' \
  --signature '*i32, (i32,), (1//0, 4)'
bracket 1 '' first --arg 't=(5)'
bracket 1 '' first --arg 't=(5,)' -D 'C=(7)'
bracket 2 "missing at the end" first --arg 't=(5,'
for n in 101 20000; do
  deep=$(printf '%*s' $n '' | tr ' ' '(')
  bracket 2 'arg t: brackets are nested too deeply' first --arg "t=$deep"
  bracket 2 'arg n: brackets are nested too deeply' number --arg "n=${deep}1"
done
filled() { # filled CODE PATTERN GENERATOR
  expect "$1" "$2" "$tilec" run brackets.tile --device=cpu --grid=1 \
    --kernel=first --arg "y=$3" --arg 't=(1,)' --print y
}
filled 0 '\[0\] 2 8$' 'full(2**3):i32[2]'
filled 0 '\[0\] 2 1.5$' 'full((2+1)*0.5):fp32[2]'
filled 0 '\[0\] 2 inf$' 'full(inf):fp32[2]'
filled 2 'makes no sense' 'full(2**64):u64[2]'
filled 2 'makes no sense' 'full(2**):i32[2]'
filled 2 'makes no sense' 'full(2**7):i8[2]'

finish
