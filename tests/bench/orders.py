"""orders.py -- rows in order, their greatest numbers, and the error function."""
import triton
import triton.language as tl


@triton.jit
def places(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def sort_vector(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def top_vector(x, out, N: tl.constexpr, K: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    best = tl.program_id(0) * K + tl.arange(0, K)
    tl.store(out + best, tl.topk(tl.load(x + at), K))


@triton.jit
def sort_rows(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * M * N + places(M, N)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def top_rows(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    at = tl.program_id(0) * M * N + places(M, N)
    best = tl.program_id(0) * M * K + places(M, K)
    tl.store(out + best, tl.topk(tl.load(x + at), K))


@triton.jit
def error_function(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.erf(tl.load(x + at)))
