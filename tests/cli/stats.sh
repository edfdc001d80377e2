#!/bin/sh
# stats.sh TILEC -- `tilec run --device=cpu --stats`: bytes, operations and trips
# are those that were counted by hand; what threads did is theirs together.
# Backs I3 of runtime/counts.
. "$(dirname "$0")/expect.sh"

cat >counted.tile <<'END'
@jit
def saxpy(x, y, z, a: tl.float32, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(z + i, tl.fma(tl.load(x + i, mask=m), a, tl.load(y + i, mask=m)), mask=m)

@jit
def matmul(a, b, c, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for s in range(0, n, B):
        x = tl.load(a + i[:, None] * n + (s + k)[None, :])
        y = tl.load(b + (s + k)[:, None] * n + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * n + j[None, :], acc)

@jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    v = tl.load(x + row * columns + column, mask=inside, other=-float("inf"))
    w = tl.exp2(v - tl.max(v, axis=0))
    tl.store(out + row * columns + column, w / tl.sum(w, axis=0), mask=inside)

@jit
def attend(q, k, v, o, n, scale: tl.float32, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    d = tl.arange(0, D)
    qs = tl.load(q + i[:, None] * D + d[None, :])
    m = tl.full((M,), -float("inf"), tl.float32)
    l = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for s in range(0, n, N):
        ks = tl.load(k + (s + j)[None, :] * D + d[:, None])
        vs = tl.load(v + (s + j)[:, None] * D + d[None, :])
        p = tl.dot(qs, ks) * scale
        new = tl.maximum(m, tl.max(p, 1))
        a = tl.exp2(m - new)
        e = tl.exp2(p - new[:, None])
        l = tl.fma(l, a, tl.sum(e, 1))
        acc = tl.dot(e, vs, acc * a[:, None])
        m = new
    tl.store(o + i[:, None] * D + d[None, :], acc / l[:, None])

@jit
def nest(x, n, m):
    s = 0.0
    i = 0
    while i < n:
        for j in range(0, m):
            s += tl.load(x + i)
        i += 1
    tl.store(x, s)

@jit
def bins(x, h, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(h + v % 7, 1, mask=i < n)

@jit
def edges(x, y, m, n, B: tl.constexpr):
    i = tl.program_id(0) * B
    j = tl.program_id(1) * B
    a = tl.make_block_ptr(x, (m, n), (n, 1), (i, j), (B, B), (1, 0))
    b = tl.make_block_ptr(y, (m, n), (n, 1), (i, j), (B, B), (1, 0))
    tl.store(b, tl.load(a, boundary_check=(0, 1)) + 1.0, boundary_check=(0, 1))

@jit
def described(x, y, m, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [m, n], [n, 1], [B, B])
    b = tl.make_tensor_descriptor(y, [m, n], [n, 1], [B, B])
    at = [tl.program_id(0) * B - 3, tl.program_id(1) * B - 3]
    b.store(at, a.load(at))
END

# counted KERNEL OPTIONS...: its counts, as JSON, in out.
counted() {
  kernel=$1
  shift
  expect 0 '^{"kernel":"'"$kernel"'"' "$tilec" run counted.tile \
    --kernel="$kernel" --device=cpu --stats=json "$@"
}

# has TEXT: the counts contain TEXT.
has() {
  what="$kernel has $1"
  if grep -qF -e "$1" out; then passed=$((passed + 1)); else complain 'no'; fi
}

# class NAME BYTES OPERATIONS
class() {
  has "\"$1\":{\"bytes\":$2,\"flops\":$3,"
}

f='--arg x=rand:fp32'
counted saxpy --grid=3 -D BLOCK=1024 $f[3000] --arg y=rand:fp32[3000] \
  --arg z=empty:fp32[3000] --arg a=2.0 --arg n=3000
class 'global load' $((2 * 3000 * 4)) 0
class 'global store' $((3000 * 4)) 0
class fp32 0 $((2 * 3 * 1024)) # masked-off lanes count, too
has "\"all\":{\"bytes\":$((3 * 3000 * 4)),\"flops\":6144,"
has '"programs":3,'
has '"loops":[]'

counted matmul --grid=2,2 -D B=16 --arg a=rand:fp32[32x32] \
  --arg b=rand:fp32[32x32] --arg c=empty:fp32[32x32] --arg n=32
class tensor 0 $((2 * 32 * 32 * 32))
class 'global load' $((4 * 2 * 2 * 16 * 16 * 4)) 0
class 'global store' $((32 * 32 * 4)) 0
has "\"trips\":8,\"bytes\":$((4 * 2 * 2 * 16 * 16 * 4)),\"flops\":65536,"

counted softmax --grid=5 -D BLOCK=128 $f[5x100] --arg out=empty:fp32[5x100] \
  --arg columns=100
class 'global load' 2000 0
class 'global store' 2000 0
class special 0 $((5 * 128))
class fp32 0 $((5 * (127 + 128 + 127 + 128))) # max, -, sum, /

# Two programs of three trips.
counted attend --grid=2 -D M=16 -D N=32 -D D=64 --arg q=rand:fp32[32x64] \
  --arg k=rand:fp32[96x64] --arg v=rand:fp32[96x64] --arg o=empty:fp32[32x64] \
  --arg n=96 --arg scale=0.1
class 'global load' $(((32 * 64 + 2 * 2 * 96 * 64) * 4)) 0
class 'global store' $((32 * 64 * 4)) 0
class tensor 0 $((6 * 2 * 2 * 16 * 32 * 64))
class special 0 $((6 * (16 + 16 * 32)))
scores=$((16 * 32 + 16 * 31 + 16 + 16 + 16 * 32)) # * scale, max, maximum, -, -
sums=$((16 * 31 + 2 * 16 + 16 * 64))              # sum, fma, acc * a
class fp32 0 $((6 * (scores + sums) + 32 * 64))
has '"trips":6,'

# Loops without trips, and one in another.
counted nest --grid=1 $f[8] --arg n=0 --arg m=5
has '"trips":0,"bytes":0,"flops":0,'
class 'global store' 4 0
counted nest --grid=1 $f[8] --arg n=3 --arg m=0
has '"trips":3,"bytes":0,"flops":0,'
has '"trips":0,"bytes":0,"flops":0,'
counted nest --grid=2 $f[8] --arg n=3 --arg m=5
has '"trips":6,"bytes":120,"flops":30,'
has '"trips":30,"bytes":120,"flops":30,'

# All programs are some thread's, and a counter is there or refused.
threads=$(sed 's/.*"threads"//' out | grep -o '"programs":[0-9]*' | cut -d: -f2)
sum=0
for n in $threads; do sum=$((sum + n)); done
what='programs of threads'
if [ "$sum" = 2 ]; then passed=$((passed + 1)); else complain "$sum"; fi
for counter in processor_us cycles instructions cache_misses page_faults; do
  has "\"$counter\":"
done

counted bins --grid=4 -D BLOCK=256 --arg x=arange:i32[1000] \
  --arg h=zeros:i32[7] --arg n=1000
class 'global load' 4000 0
class atomic 4000 0

# Windows count only elements inside their tensor.
counted edges --grid=2,3 -D B=8 $f[13x21] --arg y=empty:fp32[13x21] \
  --arg m=13 --arg n=21
class 'global load' $((13 * 21 * 4)) 0
class 'global store' $((13 * 21 * 4)) 0
class fp32 0 $((6 * 64))
counted described --grid=2,3 -D B=8 $f[13x20] --arg y=empty:fp32[13x20] \
  --arg m=13 --arg n=20
class 'global load' $((13 * 20 * 4)) 0
class 'global store' $((13 * 20 * 4)) 0

# Code of tier 0 has the same counts.
counted saxpy --tier=0 --grid=3 -D BLOCK=1024 $f[3000] \
  --arg y=rand:fp32[3000] --arg z=empty:fp32[3000] --arg a=2.0 --arg n=3000
has "\"all\":{\"bytes\":36000,\"flops\":6144,"

# Tests the counts as text; launches that are timed are not counted.
tell() {
  expect 0 "$1" "$tilec" run counted.tile --kernel=nest --device=cpu --grid=1 \
    --arg x=rand:fp32[8] --arg n=3 --arg m=5 --stats "$2"
}
tell 'nest: grid 1,1,1, 1 programs' --time=2
tell 'counted.tile:[0-9]*, 15  *60  *15' --time=2
tell 'global load  *60 ' --time=2
tell '(all)  *[0-9]* %  *0 %' --time=2
tell 'thread, programs  *ms' --time=2
what='one launch is told'
if [ "$(grep -c 'class' out)" = 1 ]; then passed=$((passed + 1)); else complain 'no'; fi

# $TILE_CPU_STATS counts each launch of a program.
twice() {
  expect 0 '' "$tilec" run counted.tile --kernel="$1" --device=cpu --grid=1 \
    --arg x=rand:fp32[8] --arg n=3 "$2" "$3" --time=2
}
export TILE_CPU_STATS=json:own.json
twice nest --arg m=5
expect 0 '^4$' grep -c '"kernel":"nest".*"trips":15' own.json
export TILE_CPU_STATS=own.json
expect 2 'wants text:FILE or json:FILE' "$tilec" run counted.tile --kernel=nest \
  --device=cpu --grid=1 --arg x=rand:fp32[8] --arg n=3 --arg m=5
unset TILE_CPU_STATS
finish
