#!/bin/sh
# dots.sh TILEC -- products in all kinds of surroundings: the simulator's
# results are the host's.
. "$(dirname "$0")/expect.sh"

cat >dots.tile <<'END'
import triton
import triton.language as tl

@triton.jit
def load2(p, R: tl.constexpr, C: tl.constexpr):
    return tl.load(p + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])

@triton.jit
def store2(p, v, R: tl.constexpr, C: tl.constexpr):
    tl.store(p + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], v)

@triton.jit
def transposed(a, b, out, n, D: tl.constexpr):
    x = load2(a, D, D)
    y = load2(b, D, D)
    s = tl.dot(x, y)
    t = tl.dot(tl.trans(s).to(tl.float16), y)
    store2(out, t + tl.trans(t) * 0.5, D, D)

@triton.jit
def branches(a, b, out, n, D: tl.constexpr):
    x = load2(a, D, D)
    y = load2(b, D, D)
    acc = tl.zeros((D, D), dtype=tl.float32)
    i = 0
    while i < n:
        if i % 2 == 0:
            acc = tl.dot(x, y, acc)
        else:
            acc = acc * 0.5 + tl.dot(y, x)
        i += 1
    for j in range(n):
        r = tl.max(acc, 1)
        c = tl.sum(acc, 0)
        acc = acc / (1.0 + tl.abs(r)[:, None]) + c[None, :] * 0.125
        x = (x + 0.25).to(tl.float16)
        acc = tl.dot(x, y, acc)
    store2(out, acc, D, D)

@triton.jit
def bias(a, b, out, n, D: tl.constexpr):
    x = load2(a, D, D)
    y = load2(b, D, D)
    v = tl.load(a + tl.arange(0, D)).to(tl.float32)
    acc = load2(out, D, D)
    for j in range(n):
        s = tl.dot(x, y * 0.5)
        s = s + v[None, :] + v[:, None] * 2 + load2(b + j * 2, D, D)
        s = tl.where(tl.arange(0, D)[:, None] >= tl.arange(0, D)[None, :], s, 0.0)
        acc = tl.dot(s.to(tl.float16), x, acc)
        v = v * 0.5 + tl.sum(s, 0) * 0.0625
    store2(out, acc, D, D)

@triton.jit
def cast(a, b, out, n, D: tl.constexpr):
    acc = tl.zeros((D, D), dtype=tl.float32)
    for j in range(n):
        x = load2(a + j, D, D).to(tl.float32)
        y = load2(b + j * 8, D, D).to(tl.float8e5)
        acc += tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16))
        acc += tl.dot(x, tl.trans(x), input_precision="ieee") * 0.01
        acc += tl.dot(x, x, input_precision="tf32x3") * 0.01
    store2(out, acc, D, D)

@triton.jit
def batched(a, b, out, n, D: tl.constexpr):
    x = load2(a, D, D).reshape(4, D // 2, D // 2)
    y = load2(b, D, D).reshape(4, D // 2, D // 2)
    s = tl.dot(x, y)
    for j in range(n):
        s = tl.dot(s.to(tl.float16) * 0.0625, tl.permute(y, (0, 2, 1)), s)
    store2(out, s.reshape(D, D), D, D)

@triton.jit
def rest(a, b, out, n, D: tl.constexpr):
    acc = tl.zeros((D, D), dtype=tl.float32)
    k = tl.arange(0, 32)
    m = tl.arange(0, D)
    other = (n - 2).to(tl.float16)
    for i in range(0, 64 - n, 32):
        x = tl.load(a + m[:, None] * 64 + i + k[None, :],
                    mask=i + k[None, :] < 64 - n, other=1.0)
        y = tl.load(b + (i + k[:, None]) * D + m[None, :],
                    mask=i + k[:, None] < 64 - n, other=other)
        acc = tl.dot(x, y, acc)
    store2(out, acc, D, D)

@triton.jit
def small(a, b, out, n, D: tl.constexpr):
    x = load2(a, 1, D)
    y = load2(b, D, D)
    for j in range(n):
        x = (tl.dot(x, y) * 0.0625).to(tl.float16)
    store2(out, tl.broadcast_to(x, (D, D)).to(tl.float32) + tl.arange(0, D)[:, None], D, D)

@triton.jit
def bits(b):
    i = tl.arange(0, 8192).to(tl.uint32)
    tl.store(b + i, (i * 2654435761 >> 3).to(b.dtype.element_ty, bitcast=False))

@triton.jit
def bytes8(a, b, out, n, D: tl.constexpr, T: tl.constexpr):
    x = load2(a, D, D)
    acc = load2(out, D, D)
    s = tl.load(a + tl.arange(0, D))
    for j in range(n):
        y = load2(b + j * 16, D, D)
        acc = tl.dot(x, y.to(tl.float16), acc)
        acc = tl.dot(x, y.to(T, bitcast=True).to(tl.float16) * s[None, :], acc)
        acc = tl.dot(y.to(tl.float16), x, acc)
        if j == 1:
            acc += tl.dot(x, y.to(tl.float16)) * 0.5
            acc = tl.dot(x, tl.where(y > 3, y, 3).to(tl.float16), acc)
    store2(out, acc * 0.001, D, D)

@triton.jit
def both8(a, b, out, n, D: tl.constexpr, T: tl.constexpr):
    acc = load2(out, D, D)
    for j in range(n):
        x = load2(a + j * 16, D, D).to(T, bitcast=True)
        y = load2(b + j * 16, D, D).to(T, bitcast=True)
        acc = tl.dot(x.to(tl.float16), y.to(tl.float16), acc)
        acc = tl.dot(x.to(tl.float16), y.trans().to(tl.float16) * 0.5, acc)
        acc = tl.dot(x.trans().to(tl.bfloat16), y.to(tl.bfloat16), acc)
        if T == tl.float8e5:
            acc = tl.dot(x, y.trans(), acc)
            acc = tl.dot(x.trans(), y, acc)
    store2(out, acc * 0.0001, D, D)

@triton.jit
def nibbles(a, b, out, n, D: tl.constexpr, T: tl.constexpr):
    x = load2(a, D, D)
    acc = load2(out, D, D)
    for j in range(n):
        p = load2(b + j * 16, D // 2, D)
        s = tl.load(a + j * 16 + tl.arange(0, D))
        low = (p << 4).to(tl.int8, bitcast=True) >> 4
        y = tl.join(low, p >> 4).permute(0, 2, 1).reshape(D, D)
        acc = tl.dot(x, y.to(tl.float16) * s[None, :], acc)
        z = tl.interleave((p & 15).trans(), (p >> 2 & 15).trans()).trans()
        acc = tl.dot(x, (z - 8).to(tl.float16), acc)
    store2(out, acc * 0.001, D, D)

@triton.jit
def words(a, b, out, n, D: tl.constexpr, T: tl.constexpr):
    x = load2(a, D, D)
    acc = load2(out, D, D)
    k = tl.arange(0, D)
    for j in range(n):
        w = tl.load(b + (k // 8)[:, None] * D + k[None, :])
        y = (w >> (k % 8 * 4)[:, None]) & 15
        z = tl.load(b + j * 4 + k) & 15
        s = tl.load(a + j * 16 + k)
        acc = tl.dot(x, ((y - z[None, :]) * s[None, :]).to(tl.float16), acc)
        acc = tl.dot(x, w.to(tl.float16) * 0.0001, acc)
    store2(out, acc * 0.001, D, D)

@triton.jit
def along_k(a, b, out, n, D: tl.constexpr, T: tl.constexpr):
    acc = load2(out, D, D)
    for j in range(n):
        x = load2(a + j * 16, D, D)
        y = load2(b + j * 16, D, D).to(T, bitcast=True)
        acc = tl.dot(x, y.trans().to(tl.float16), acc)
        acc = tl.dot(y.to(tl.float16), x.trans(), acc)
        z = load2(b + j * 16, D // 2, D).to(T, bitcast=True)
        s = tl.dot(x, z.trans().to(tl.float16)) + tl.arange(0, D)[:, None]
        acc += tl.join(s, s * 0.5).reshape(D, D)
    store2(out, acc * 0.001, D, D)

@triton.jit
def few(a, b, out, n, D: tl.constexpr, T: tl.constexpr):
    x = load2(a, 16, 8)
    y = load2(b, 16, 8).to(T, bitcast=True).to(tl.float16)
    store2(out, tl.dot(x.trans(), y) * 0.001, 8, 8)

@triton.jit
def each(b):
    i = tl.arange(0, 256)
    tl.store(b + i, i.to(b.dtype.element_ty))

@triton.jit
def wider(b, out):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(b + i).to(out.dtype.element_ty))

@triton.jit
def steps(b):
    i = tl.arange(0, 8192).to(tl.uint32)
    tl.store(b + i, ((i * 2654435761 >> 13) % 4).to(tl.float32) - 2)

@triton.jit
def of_few(a, y, R: tl.constexpr, D: tl.constexpr):
    v = tl.dot(load2(a, D, R).trans(), y)
    return tl.broadcast_to(v[None, :, :], (D // R, R, D)).reshape(D, D)

@triton.jit
def singles(a, b, out, n, D: tl.constexpr):
    acc = load2(out, D, D)
    for j in range(n):
        x = load2(a + j * 4, D, D)
        y = load2(b + j * 4, D, D)
        acc = tl.dot(x, y, acc)
        acc = tl.dot(x.trans(), y, acc)
        acc = tl.dot(x.trans(), y.trans(), acc)
        acc = tl.dot(x, y, acc, input_precision="tf32x3")
        s = tl.dot(x, y.trans())
        t = tl.dot(tl.where(s > 0, s, 0), load2(a + j * 8, D, D))
        acc = acc * tl.max(s, 1)[:, None] * 0.0625 + t
        u = tl.dot(load2(a, 16, D), y)
        acc += tl.broadcast_to(u[None, :, :], (D // 16, 16, D)).reshape(D, D)
        v = tl.dot(x.reshape(4, D // 2, D // 2), y.reshape(4, D // 2, D // 2))
        acc += v.reshape(D, D) + of_few(a, y, 1, D) + of_few(a, y, 2, D)
        acc += of_few(a, y, 4, D) + of_few(a, y, 8, D) + of_few(a, y, 16, D)
    store2(out, acc, D, D)
END

# dot KERNEL OPTIONS...: the kernel's work is done three times, with D = 64.
dot() {
  kernel=$1
  shift
  set -- run dots.tile --kernel="$kernel" --grid=1 \
    --signature='*fp16:16, *fp16:16, *fp32:16, i32, 64' \
    --arg 'a=rand:fp16[4160]' --arg 'b=rand:fp16[4160]' \
    --arg 'out=rand:fp32[4096]' --arg n=3 "$@"
  expect 0 '' "$tilec" "$@" --device=cpu --save out=want.npy
  expect 0 '' "$tilec" "$@" --device=sim --reference out=want.npy \
    --tolerance=2e-3
}

for kernel in transposed branches bias cast batched small rest; do
  dot $kernel --num-warps=4 --num-stages=3
  dot $kernel --num-warps=8 --num-stages=1
done

# packed KERNEL TYPE AS B: the same with B of another type.
packed() {
  kernel=$1 type=$2 as=$3 b=$4
  for how in '4 --num-stages=3' '8 --num-stages=2' '1 --num-stages=1'; do
    # shellcheck disable=SC2086
    set -- run dots.tile --kernel="$kernel" --grid=1 --num-warps=$how \
      --signature="*fp16:16, *$type:16, *fp32:16, i32, 64, $as" \
      --arg 'a=rand:fp16[4160]' --arg "b=$b" \
      --arg 'out=rand:fp32[4096]' --arg n=3
    expect 0 '' "$tilec" "$@" --device=cpu --save out=want.npy
    expect 0 '' "$tilec" "$@" --device=sim --reference out=want.npy \
      --tolerance=2e-3
  done
}

for type in i8 u8 i32; do
  expect 0 '' "$tilec" run dots.tile --kernel=bits --signature="*$type:16" \
    --grid=1 --device=cpu --arg "b=zeros:$type[8192]" --save b=$type.npy
done
packed bytes8 i8 uint8 @i8.npy
packed bytes8 u8 int8 @u8.npy
packed bytes8 i8 float8e5 'rand:i8[8192]'
packed nibbles i8 int8 @i8.npy
for type in int8 uint8 float8e5 float8e4nv; do
  [ $type = float8e4nv ] && chip=sm_89 || chip=sm_80
  case $type in *int8) b=@i8.npy ;; *) b='rand:i8[4160]' ;; esac
  set -- run dots.tile --kernel=both8 --grid=1 \
    --signature="*i8:16, *i8:16, *fp32:16, i32, 64, $type" \
    --arg 'a=rand:i8[4160]' --arg "b=$b" \
    --arg 'out=rand:fp32[4096]' --arg n=3
  expect 0 '' "$tilec" "$@" --device=cpu --save out=want.npy
  for warps in 1 4 8; do
    expect 0 '' env TILE_SIM_CHIP=$chip "$tilec" "$@" --device=sim \
      --reference out=want.npy --tolerance=2e-3 --num-warps=$warps
  done
done
packed words i32 int32 @i32.npy
packed along_k i8 int8 @i8.npy
packed along_k u8 uint8 @u8.npy
packed along_k i8 float8e5 'rand:i8[8192]'
packed few i8 int8 @i8.npy
TILE_SIM_CHIP=sm_75
export TILE_SIM_CHIP
packed few u8 uint8 @u8.npy
unset TILE_SIM_CHIP

# All bytes, exactly.
for type in i8 u8; do
  expect 0 '' "$tilec" run dots.tile --kernel=each --signature="*$type:16" \
    --grid=1 --device=cpu --arg "b=zeros:$type[256]" --save b=each.npy
  for wide in bf16 fp16; do
    set -- run dots.tile --kernel=wider --grid=1 --num-warps=1 \
      --signature="*$type:16, *$wide:16" --arg b=@each.npy \
      --arg "out=zeros:$wide[256]"
    expect 0 '' "$tilec" "$@" --device=cpu --save out=want.npy
    expect 0 '' "$tilec" "$@" --device=sim --reference out=want.npy \
      --tolerance=0
  done
done

expect 0 '' "$tilec" run dots.tile --kernel=steps --signature='*fp32:16' \
  --grid=1 --device=cpu --arg 'b=zeros:fp32[8192]' --save b=steps.npy
for how in '4 --num-stages=3' '8 --num-stages=2' '1 --num-stages=1'; do
  # shellcheck disable=SC2086
  set -- run dots.tile --kernel=singles --grid=1 --num-warps=$how \
    --signature='*fp32:16, *fp32:16, *fp32:16, i32, 64' --arg a=@steps.npy \
    --arg b=@steps.npy --arg 'out=rand:fp32[4096]' --arg n=3
  expect 0 '' "$tilec" "$@" --device=cpu --save out=want.npy
  expect 0 '' "$tilec" "$@" --device=sim --reference out=want.npy \
    --tolerance=2e-3
done
finish
