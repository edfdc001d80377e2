#!/bin/sh
# gpu.sh TILEC -- outputs of the command line for GPUs besides PTX.
. "$(dirname "$0")/expect.sh"

mkdir lib && cat >lib/helpers.tile <<'END'
@jit
def twice(p):
    return tl.load(p) * 2
END
cat >twice.tile <<'END'
from helpers import twice

@jit
def run(x, out):
    i = tl.arange(0, 128)
    v = twice(x + i)
    tl.store(out + i, v)
END

cat >ahead.tile <<'END'
@jit
def run(x, y, out, n):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    sums = tl.zeros((16, 16), tl.float32)
    for t in range(n):
        # loads that are copied ahead
        p = tl.load(x + at + t * 256)
        q = tl.load(y + at + t * 256)
        sums = tl.dot(p, q, sums)
    tl.store(out + at, sums)
END

# gpu CODE PATTERN ARGUMENTS...
gpu() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" twice.tile -I lib --target=sm_80 \
    --signature='*fp32:16, *fp32:16' "$@"
}
refused() {
  wanted=$1 pattern=$2
  shift 2
  refuse "$wanted" "$pattern" "$tilec" twice.tile -I lib --target=sm_80 \
    --signature='*fp32:16, *fp32:16' -o o.out "$@"
}
# without FILE PATTERN
without() {
  grep -q -e "$2" "$1" && complain "'$2' is in $1"
}

# -- Lines -------------------------------------------------------------------

gpu 0 '\.file.*"twice.tile"' -lineinfo
gpu 0 '\.file.*"lib/helpers.tile"' --lineinfo
gpu 0 '' -lineinfo -o twice.ptx
gpu 0 '' -lineinfo -o again.ptx
cmp twice.ptx again.ptx >/dev/null 2>&1 || complain 'two runs differ'
grep -q '\.loc.*2 3 12' twice.ptx || complain 'no line of the helper'
without twice.ptx '\.target.*debug'
gpu 0 '' -o plain.ptx
without plain.ptx '\.loc'
without plain.ptx '\.file'

# -- PTX version -------------------------------------------------------------

gpu 0 '^\.version 8\.0$'
gpu 0 '^\.version 8\.4$' --ptx-version=8.4
refused 2 'wants a version' --ptx-version=9.9
refused 2 'wants a version' --ptx-version=8
gpu 2 'sm_90 wants PTX 8.[0-9] at least' --target=sm_90 --ptx-version=8.0 -o x.ptx

# -- Values that make no sense -----------------------------------------------

for warps in 0 3 12 64 -4 many; do
  refused 2 'num-warps' --num-warps=$warps
done
for stages in 17 100 -1 few; do
  refused 2 'num-stages wants a number from 1 to 16' --num-stages=$stages
done
for chip in sm_99 sm_70 hopper ''; do
  refused 2 "\-\-target.*'$chip'" --target="$chip"
done

# -- Tiles that are too large -------------------------------------------------

cat >large.tile <<'END'
@jit
def large(x, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(x + i, tl.load(x + i) + 1)
END
large() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" large.tile --target=sm_80 \
    --signature='*fp32:16' --num-warps=1 -o large.ptx "$@"
}
large 0 '' -D SIZE=16384
[ ! -s err ] || complain 'a warning about 512 elements a thread'
large 0 'warning: a tile of 32768.*1024 elements a thread' -D SIZE=32768
rm -f large.ptx
large 1 'error: a tile of 131072.*4096 elements a thread.*2048' -D SIZE=131072
[ ! -e large.ptx ] || complain 'a refused kernel is written'

# -- Stages that do not fit ----------------------------------------------------

# Copies two trips ahead need 2 x 49,152 bytes, which would fit; but the
# transposed sum needs 4,096 more.
cat >stages.tile <<'END'
@jit
def stages(p, q, n):
    i = tl.arange(0, 64)
    j = tl.arange(0, 128)
    acc = tl.zeros([128, 64], tl.float32)
    for t in range(n):
        a = tl.load(p + j[:, None] * 128 + j[None, :] + t * 8192)
        b = tl.load(p + j[:, None] * 64 + i[None, :] + t * 8192)
        acc = tl.dot(a, b, acc) + tl.trans(acc).reshape(128, 64)
    tl.store(q + j[:, None] * 64 + i[None, :], acc)
END
stages() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" stages.tile --target=sm_86 \
    --signature='*fp16:16, *fp32, i32:16' --resource-usage -o stages.ptx "$@"
}
stages 0 'remark: 2 stages.* instead of 3: those would need 102400 bytes.* has 101376'
stages 0 'fits: 1 program'
stages 1 'error: 3 stages of this loop need 102400 bytes.* has 101376; lower num_stages' \
  --num-stages=3
stages 0 'fits: 1 program' --num-stages=2

# No stage means one, as in Triton.
for count in 0 1; do
  sed "s/range(n)/tl.range(n, num_stages=$count)/" stages.tile >asked.tile
  expect 0 '' "$tilec" asked.tile --target=sm_86 --emit=ptx \
    --signature='*fp16:16, *fp32, i32:16' -o "asked-$count.ptx"
done
expect 0 '' cmp asked-0.ptx asked-1.ptx
for count in 0 1; do
  sed "s/^@jit/@autotune([Config({}, num_stages=$count)], [])\n@jit/" \
    stages.tile >asked.tile
  expect 0 '' "$tilec" asked.tile --target=sm_86 --emit=ptx \
    --signature='*fp16:16, *fp32, i32:16' -o "asked-$count.ptx"
done
expect 0 '' cmp asked-0.ptx asked-1.ptx

# -- Layouts -----------------------------------------------------------------

gpu 0 '^#0: 128 in 4 x 32 threads, 1 register each' --emit=layout
gpu 0 'row 0 *0:00:0 *0:01:0 *0:02:0' --emit=layout
gpu 0 '%i = arange.*tile<128xi32, #0>' --emit=layout

gpu 0 "'--resource-usage' changes nothing beside '--emit=ir'" --emit=ir \
  --resource-usage
gpu 0 "'--emit=ptx' changes nothing beside '--stop-after=cse'" --emit=ptx \
  --stop-after=cse
gpu 0 "'--stop-after=cse' changes nothing beside '--emit=ast'" --emit=ast \
  --stop-after=cse

# -- Without ptxas -----------------------------------------------------------

TILE_PTXAS=/nowhere
export TILE_PTXAS
refused 3 "TILE_PTXAS says is '/nowhere'" --emit=cubin
gpu 0 'registers and spills unknown' --resource-usage -o /dev/null
gpu 0 'fits: 16 programs' --resource-usage -o /dev/null
printf '#!/bin/sh\necho "kernel.ptx, line 3; error: no"; exit 1\n' >refuses
printf '#!/bin/sh\nkill -9 $$\n' >dies
printf '#!/bin/sh\nexit 0\n' >idle
printf '#!/nowhere/sh\n' >broken
chmod +x refuses dies idle broken
TILE_PTXAS=./refuses
refused 1 'line 3; error: no' --emit=cubin
TILE_PTXAS=$PWD/dies
refused 3 'sudden end' --emit=cubin
TILE_PTXAS=$PWD/idle
refused 3 'kernel.cubin' --emit=cubin
TILE_PTXAS=$PWD/broken
refused 3 'cannot run' --emit=cubin
TILE_PTXAS=$PWD/idle TMPDIR=/nowhere
export TMPDIR
refused 3 'cannot make a folder' --emit=cubin
unset TILE_PTXAS

# -- With ptxas --------------------------------------------------------------

mkdir temporary
TMPDIR=$PWD/temporary
run "$tilec" twice.tile -I lib --target=sm_80 --emit=cubin -o probe.cubin \
  --signature='*fp32:16, *fp32:16'
if [ "$code" = 3 ]; then
  echo 'SKIP (part): ptxas is not installed'
else
  gpu 0 '' --emit=cubin -o twice.cubin
  gpu 0 '' --emit=cubin -o again.cubin
  cmp twice.cubin again.cubin >/dev/null 2>&1 || complain 'two cubins differ'
  head -c 4 twice.cubin | grep -q ELF || complain 'no ELF file'
  gpu 0 '' --emit=cubin -lineinfo -o lines.cubin
  grep -q debug_line lines.cubin || complain 'no line table in the cubin'
  gpu 0 '[1-9][0-9]* registers a thread, 0 bytes spilled' --resource-usage \
    -o /dev/null
  gpu 0 'fits: 16 programs.*warps' --resource-usage --emit=cubin -o /dev/null
  gpu 0 '' --target=sm_90 --emit=cubin -o two.cubin
  [ -s two.sm_80.cubin ] && [ -s two.sm_90.cubin ] || complain 'not two cubins'
fi
[ -z "$(ls temporary)" ] || complain 'temporary files are left'

# -- The simulator's reports -------------------------------------------------

run "$tilec" run twice.tile -I lib --device=sim --grid=1 \
  --arg 'x=zeros:fp32[64]' --arg 'out=zeros:fp32[128]'
if [ "$code" = 4 ] && grep -q 'libtilesim' err; then
  echo 'SKIP (part): the simulator is not built'
else
  expect 4 'lib/helpers.tile:3: read of 4 bytes' "$tilec" run twice.tile \
    -I lib --device=sim --grid=1 --arg 'x=zeros:fp32[64]' \
    --arg 'out=zeros:fp32[128]'
  expect 4 'ahead.tile:9: read of 4 bytes' "$tilec" run ahead.tile \
    --device=sim --grid=1 --arg 'x=rand:fp16[1024]' --arg 'y=rand:fp16[768]' \
    --arg 'out=zeros:fp32[256]' --arg n=4
  expect 4 '^{"kind":"out-of-bounds"' "$tilec" run twice.tile -I lib \
    --device=sim --grid=1 --arg 'x=zeros:fp32[64]' \
    --arg 'out=zeros:fp32[128]' --diagnostics-format=json
  ! grep -q -v '^{.*}$' err || complain 'a line that is no object'
fi

finish
