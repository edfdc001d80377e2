# Types where others are wanted: what makes tiles, and what takes operands.
# RUN: not tilec %s --kernel=makes 2>&1 | FileCheck %s --strict-whitespace --check-prefix=MAKES --implicit-check-not=bug
import triton
import triton.language as tl


@triton.jit
def makes(x: "*fp32", a: "i64"):
    i = tl.arange(0, 8)
    # MAKES: :[[#@LINE+1]]:25: error: 'full' makes numbers, not pointers
    t = tl.full([8], 0, x.dtype)
    # MAKES-NEXT:{{^}}      t = tl.full([8], 0, x.dtype){{$}}
    # MAKES-NEXT:{{^}}                          ^~~~~~~{{$}}
    # MAKES: :[[#@LINE+1]]:27: error: 'full' makes numbers, not pointers
    t = tl.full((), True, tl.pointer_type(tl.int8))
    # MAKES: :[[#@LINE+1]]:23: error: 'zeros' makes numbers, not pointers
    t = tl.zeros([8], x.dtype)
    # MAKES: :[[#@LINE+1]]:23: error: 'zeros_like' makes numbers, not pointers
    t = tl.zeros_like(x + i)
    # MAKES: :[[#@LINE+1]]:23: error: 'dtype' of 'zeros' wants the type of an element, found type int32 [8]
    t = tl.zeros([8], i.type)
    # MAKES: :[[#@LINE+1]]:25: error: 'dtype' of 'full' wants the type of an element, found type int32 [8]
    t = tl.full([8], 3, i.type)
    t = filled(x.dtype)
    # An address is one, and so is a number of 64 bits that is not of the source.
    tl.store(tl.full([8], x, x.dtype) + i, 1.0)
    tl.store(tl.full([8], a, x.dtype) + i, 1.0)


@triton.jit
def filled(dtype: tl.constexpr):
    # MAKES: :[[#@LINE+1]]:28: error: 'full' makes numbers, not pointers; '.element_ty' of a pointer's type is that of the numbers there
    return tl.full([8], 3, dtype)
