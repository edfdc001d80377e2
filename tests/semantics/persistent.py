# persistent.py -- a program that computes one tile after another in one loop,
# and stores each under a condition behind its last product.
# also: sim sm_75 sm_89
# run: --grid=1 --num-warps=4 --num-stages=3 --arg a=@persistent-a.npy --arg b=@persistent-b.npy --arg c=empty:fp16[128,256] --arg M=128 --arg N=256 --arg K=64 -D BM=128 -D BN=128 -D BK=32 -D NUM=1 --reference c=persistent.npy --tolerance=0
# run: --grid=3 --num-warps=8 --num-stages=4 --arg a=@persistent-a.npy --arg b=@persistent-b.npy --arg c=empty:fp16[128,256] --arg M=128 --arg N=256 --arg K=64 -D BM=64 -D BN=64 -D BK=16 -D NUM=3 --reference c=persistent.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, NUM: tl.constexpr):
    start = tl.program_id(0)
    k_tiles = tl.cdiv(K, BK)
    pn = tl.cdiv(N, BN)
    total = tl.cdiv(M, BM) * pn
    per = total // NUM
    if start < total % NUM:
        per += 1
    tile = start - NUM
    ki = -1
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    kk = tl.arange(0, BK)
    om = m
    on = n
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k_tiles * per):
        ki = tl.where(ki == k_tiles - 1, 0, ki + 1)
        if ki == 0:
            tile += NUM
            om = tl.max_contiguous(tl.multiple_of((tile // pn * BM + m) % M, BM), BM)
            on = tl.max_contiguous(tl.multiple_of((tile % pn * BN + n) % N, BN), BN)
            acc = tl.zeros((BM, BN), tl.float32)
        x = tl.load(a + om[:, None] * K + (ki * BK + kk)[None, :])
        y = tl.load(b + on[None, :] * K + (ki * BK + kk)[:, None])
        acc = tl.dot(x, y, acc)
        if ki == k_tiles - 1:
            rm = tile // pn * BM + m
            rn = tile % pn * BN + n
            tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm < M)[:, None] & (rn < N)[None, :])
