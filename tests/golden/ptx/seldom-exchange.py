# What a loop of products exchanges under a condition goes in as many parts as
# let the chip run more programs: it is seldom made.
# RUN: tilec %s --target=sm_89 --print-after=alloc_shared -o %t --num-warps=4 --signature="*fp16:16, *fp16:16, *bf16:16, i32:16, i32:16, i32:16, 128, 128, 32, 132" 2>&1 | FileCheck %s
import triton
import triton.language as tl


# CHECK: store_shared
# CHECK: convert_layout {{.*}}log2_parts = 3,{{.*}}tile<128x128xbf16
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
            tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16), mask=(rm < M)[:, None] & (rn < N)[None, :])
