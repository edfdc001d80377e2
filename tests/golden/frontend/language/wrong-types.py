# Types in place of values: in functions that make tiles, and in operands.
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
    # A pointer fits a pointer type, and so does a run-time number of 64 bits.
    tl.store(tl.full([8], x, x.dtype) + i, 1.0)
    tl.store(tl.full([8], a, x.dtype) + i, 1.0)


@triton.jit
def filled(dtype: tl.constexpr):
    # MAKES: :[[#@LINE+1]]:28: error: 'full' makes numbers, not pointers; '.element_ty' of a pointer's type is that of the numbers there
    return tl.full([8], 3, dtype)


# RUN: not tilec %s --kernel=takes --emit=ptx --target=sm_90 2>&1 | FileCheck %s --check-prefix=TAKES
@triton.jit
def takes(x: "*fp32", y: "*i32", n: "i32", a: "i64"):
    i = tl.arange(0, 64)
    s = tl.zeros([16, 2], tl.uint8)
    v = tl.zeros([16, 64], tl.float8e5)
    d = tl.make_tensor_descriptor(y, [n, n], [n, 1], [1, 16])
    # TAKES: :[[#@LINE+1]]:63: error: 'out_dtype' of 'dot_scaled' wants tl.float32, found type fp16
    t = tl.dot_scaled(v, s, "e5m2", v.T, s, "e5m2", out_dtype=tl.float16)
    # TAKES: :[[#@LINE+1]]:33: error: a mask must be of int1, found tile of int32 [64]
    t = tl.histogram(i, 2, mask=i)
    # TAKES: :[[#@LINE+1]]:9: error: cannot convert int32 to pointer to fp32: an address has 64 bits; '.to(tl.int64)' makes them
    t = n.to(x.dtype)
    # TAKES: :[[#@LINE+1]]:9: error: cannot convert tile of int32 [64] to pointer to fp32: an
    t = i.to(x.dtype)
    # TAKES: :[[#@LINE+1]]:47: error: 'args' of 'inline_asm_elementwise' wants a list of values, found tile of int32 [64]
    t = tl.inline_asm_elementwise("", "=r,r", i, tl.int32, True, 1)
    # TAKES: :[[#@LINE+1]]:32: error: 'axis' of 'associative_scan' wants a dimension, found None
    t = tl.associative_scan(i, None, tl.maximum)
    # TAKES: :[[#@LINE+1]]:25: error: the function of 'reduce' gives constant 1, wanted int32
    t = tl.reduce(i, 0, one)
    # TAKES: :[[#@LINE+1]]:26: error: 'value' of 'tensor_descriptor.atomic_xor' wants a tile of int32, found tile of fp32 [1, 16]
    d.atomic_xor([0, 0], tl.zeros([1, 16], tl.float32))
    # TAKES-NOT: error
    d.atomic_xor([0, 0], tl.zeros([1, 16], tl.uint32))
    t = a.to(x.dtype)
    t = a.to(tl.uint64).to(x.dtype)


@triton.jit
def one(a, b):
    return 1
