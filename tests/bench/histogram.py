# histogram.py -- how often each of the lowest bits occur, block by block.
import triton
import triton.language as tl


@triton.jit
def histogram(x, out, SIZE: tl.constexpr, BINS: tl.constexpr):
    pid = tl.program_id(0)
    bins = tl.load(x + pid * SIZE + tl.arange(0, SIZE)) & (BINS - 1)
    counts = tl.histogram(bins, BINS)
    tl.store(out + pid * BINS + tl.arange(0, BINS), counts)
