"""quantize.py -- rows as 8-bit numbers, with the factor that scaled each row."""
import triton
import triton.language as tl


@triton.jit
def quantize(x, out, factors, row_stride, columns, LARGEST: tl.constexpr,
             BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    value = tl.load(x + row * row_stride + column, mask=inside, other=0.0)
    value = value.to(tl.float32)
    factor = tl.maximum(tl.max(tl.abs(value), 0), 1e-4) / LARGEST
    value = value / factor
    if out.dtype.element_ty.is_int():
        value = tl.floor(value + 0.5)
    tl.store(out + row * row_stride + column,
             value.to(out.dtype.element_ty), mask=inside)
    tl.store(factors + row, factor)
