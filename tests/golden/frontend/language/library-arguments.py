# REQUIRES: tilec
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=scaled %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=SCALED --implicit-check-not='<library>'
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=numbers %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=NUMBERS --implicit-check-not='<library>'
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=composed %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=COMPOSED
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=memory %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=MEMORY --implicit-check-not='<library>'

# A function that is written in the language itself reports wrong arguments at
# the call.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scaled(p: "*fp32", n: "i32"):
    a = tl.zeros([16, 64], tl.float8e5)
    s = tl.full([16, 2], 127, tl.uint8)
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2")
    tl.dot_scaled(n, s, "e5m2", a.T, s, "e5m2")
    # SCALED:      error: 'lhs' of 'dot_scaled' wants a tile of 2 or 3 dimensions, found int32
    # SCALED-NEXT:{{^}}      tl.dot_scaled(n, s, "e5m2", a.T, s, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                    ^{{$}}
    tl.dot_scaled(a, s, "e5m3", a.T, s, "e5m2")
    # SCALED:      error: 'lhs_format' of 'dot_scaled' wants one of 'e2m1', 'e4m3', 'e5m2', 'bf16', 'fp16', found string 'e5m3'
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m3", a.T, s, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                          ^~~~~~{{$}}
    tl.dot_scaled(a, s, "e5m2", a.T, s, None)
    # SCALED:      error: 'rhs_format' of 'dot_scaled' wants one of 'e2m1', 'e4m3', 'e5m2', 'bf16', 'fp16', found None
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, s, None){{$}}
    # SCALED-NEXT:{{^}}                                          ^~~~{{$}}
    tl.dot_scaled(a, s, "fp16", a.T, s, "e5m2")
    # SCALED:      error: 'lhs' of 'dot_scaled' wants fp16 or uint16, as its format 'fp16' says, found tile of fp8e5 [16, 64]
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "fp16", a.T, s, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                    ^{{$}}
    tl.dot_scaled(a, n, "e5m2", a.T, s, "e5m2")
    # SCALED:      error: 'lhs_scale' of 'dot_scaled' wants None or a tile of uint8 [16, 2], a scale for each 32 elements along K, or twice as many, found int32
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, n, "e5m2", a.T, s, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                       ^{{$}}
    tl.dot_scaled(a, s, "e5m2", a.T, a, "e5m2")
    # SCALED:      error: 'rhs_scale' of 'dot_scaled' wants None or a tile of uint8 [16, 2], a scale for each 32 elements along K, as 'lhs_scale' has them, found tile of fp8e5 [16, 64]
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, a, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                                       ^{{$}}
    tl.dot_scaled(a, s, "e5m2", a, s, "e5m2")
    # SCALED:      error: 'rhs' of 'dot_scaled' wants 64 elements along K, as 'lhs' has, found tile of fp8e5 [16, 64]
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a, s, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                                  ^{{$}}
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", n)
    # SCALED:      error: 'acc' of 'dot_scaled' wants a tile of fp32 [16, 16], found int32
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", n){{$}}
    # SCALED-NEXT:{{^}}                                                  ^{{$}}
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", out_dtype=3)
    # SCALED:      error: 'out_dtype' of 'dot_scaled' wants a type, found constant 3
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", out_dtype=3){{$}}
    # SCALED-NEXT:{{^}}                                                            ^{{$}}
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", lhs_k_pack=n)
    # SCALED:      error: 'lhs_k_pack' of 'dot_scaled' wants a constant bool, found int32
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", lhs_k_pack=n){{$}}
    # SCALED-NEXT:{{^}}                                                             ^{{$}}
    t = tl.full([16, 4], 127, tl.uint8)
    tl.dot_scaled(a, t, "e5m2", a.T, None, "e5m2"), tl.dot_scaled(a, t, "e5m2", a.T, t, "e5m2")
    tl.dot_scaled(a, s, "e5m2", a.T, t, "e5m2")
    # SCALED:      error: 'rhs_scale' of 'dot_scaled' wants None or a tile of uint8 [16, 2], a scale for each 32 elements along K, as 'lhs_scale' has them, found tile of uint8 [16, 4]
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, t, "e5m2"){{$}}
    # SCALED-NEXT:{{^}}                                       ^{{$}}
    tl.dot_scaled(a, t, "e5m2", a.T, s, "e5m2")
    # SCALED:      error: 'rhs_scale' of 'dot_scaled' wants None or a tile of uint8 [16, 4], a scale for each 16 elements along K, as 'lhs_scale' has them, found tile of uint8 [16, 2]
    one = tl.full([1, 2], 127, tl.uint8)
    tl.dot_scaled(a, one, "e5m2", a.T, s, "e5m2")
    # SCALED:      error: 'lhs_scale' of 'dot_scaled' wants None or a tile of uint8 [16, 2], a scale for each 32 elements along K, or twice as many, found tile of uint8 [1, 2]
    b = tl.zeros([2, 16, 16], tl.float8e5)
    tl.dot_scaled(b, s, "e5m2", b, None, "e5m2")
    # SCALED:      error: 'lhs_scale' of 'dot_scaled' wants None or a tile of uint8 [2, 16, 1], a scale for each 16 elements along K, found tile of uint8 [16, 2]
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", lhs_k_pack=False)
    # SCALED:      error: 'lhs_k_pack' of 'dot_scaled' wants True with format 'e5m2', as only 'e2m1' has two digits in a byte, found constant False
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", rhs_k_pack=False)
    # SCALED:      error: 'rhs_k_pack' of 'dot_scaled' wants True with format 'e5m2', as only 'e2m1' has two digits in a byte, found constant False
    # SCALED-NEXT:{{^}}      tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2", rhs_k_pack=False){{$}}
    # SCALED-NEXT:{{^}}                                                             ^~~~~{{$}}
    tl.dot_scaled(a.to(tl.uint8, bitcast=True), s, "e5m2", a.T, s, "e5m2")
    tl.dot_scaled(a.to(tl.int8, bitcast=True), s, "e5m2", a.T, s, "e5m2")
    # SCALED:      error: 'lhs' of 'dot_scaled' wants fp8e5 or uint8, as its format 'e5m2' says, found tile of int8 [16, 64]
    tl.dot_scaled(a, s, "e5m2", tl.zeros([32, 16], tl.int8), s, "e2m1")
    # SCALED:      error: 'rhs' of 'dot_scaled' wants uint8, as its format 'e2m1' says, found tile of int8 [32, 16]
    tl.dot_scaled(tl.zeros([16, 64], tl.int16), s, "bf16", a.T, s, "e5m2")
    # SCALED:      error: 'lhs' of 'dot_scaled' wants bf16 or uint16, as its format 'bf16' says, found tile of int16 [16, 64]


@triton.jit
def numbers(p: "*fp32", q: "*i32", n: "i32"):
    i = tl.arange(0, 8)
    x = tl.load(p + i)
    libdevice.hypot(x, 1)
    libdevice.asin(i)
    # NUMBERS:      error: 'asin' wants fp32 or fp64, found tile of int32 [8]; convert it with .to(tl.float32)
    # NUMBERS-NEXT:{{^}}      libdevice.asin(i){{$}}
    # NUMBERS-NEXT:{{^}}                     ^{{$}}
    libdevice.asin("a")
    # NUMBERS:      error: 'x' of 'asin' wants a run-time value, found string 'a'
    # NUMBERS-NEXT:{{^}}      libdevice.asin("a"){{$}}
    # NUMBERS-NEXT:{{^}}                     ^~~{{$}}
    libdevice.atan2(x, None)
    # NUMBERS:      error: 'y' of 'atan2' wants a run-time value, found None
    # NUMBERS-NEXT:{{^}}      libdevice.atan2(x, None){{$}}
    # NUMBERS-NEXT:{{^}}                         ^~~~{{$}}
    libdevice.atan2(p, x)
    # NUMBERS:      error: 'atan2' wants numbers, found pointer to fp32; 'tl.load' reads the numbers there
    # NUMBERS-NEXT:{{^}}      libdevice.atan2(p, x){{$}}
    # NUMBERS-NEXT:{{^}}                      ^{{$}}
    libdevice.hypot(x, tl.zeros([16], tl.float32))
    # NUMBERS:      error: 'hypot' cannot combine tile of fp32 [8] and tile of fp32 [16]: their shapes do not broadcast, 8 against 16 in dimension 0
    # NUMBERS-NEXT:{{^}}      libdevice.hypot(x, tl.zeros([16], tl.float32)){{$}}
    # NUMBERS-NEXT:{{^}}      ^               ~  ~~~~~~~~~~~~~~~~~~~~~~~~~~{{$}}
    libdevice.ldexp(x, x)
    # NUMBERS:      error: 'n' of 'ldexp' wants an integer, found tile of fp32 [8]
    # NUMBERS-NEXT:{{^}}      libdevice.ldexp(x, x){{$}}
    # NUMBERS-NEXT:{{^}}                         ^{{$}}
    libdevice.brev(x)
    # NUMBERS:      error: 'brev' wants 32- or 64-bit integers, found tile of fp32 [8]
    # NUMBERS-NEXT:{{^}}      libdevice.brev(x){{$}}
    # NUMBERS-NEXT:{{^}}                     ^{{$}}
    libdevice.double2hiint(x)
    # NUMBERS:      error: 'x' of 'double2hiint' wants fp64, found tile of fp32 [8]
    # NUMBERS-NEXT:{{^}}      libdevice.double2hiint(x){{$}}
    # NUMBERS-NEXT:{{^}}                             ^{{$}}
    libdevice.add_rd(i, i)
    # NUMBERS:      error: 'add_rd' wants fp32 or fp64, found tile of int32 [8]; convert it with .to(tl.float32)
    # NUMBERS-NEXT:{{^}}      libdevice.add_rd(i, i){{$}}
    # NUMBERS-NEXT:{{^}}                       ^{{$}}
    libdevice.int2float_rd(x)
    # NUMBERS:      error: 'int2float_rd' wants 32- or 64-bit integers, found tile of fp32 [8]
    # NUMBERS-NEXT:{{^}}      libdevice.int2float_rd(x){{$}}
    # NUMBERS-NEXT:{{^}}                             ^{{$}}
    libdevice.fmod(x, None)
    # NUMBERS:      error: 'y' of 'fmod' wants a number or a tile, found None
    # NUMBERS-NEXT:{{^}}      libdevice.fmod(x, None){{$}}
    # NUMBERS-NEXT:{{^}}                        ^~~~{{$}}


# A function that consists of others names none of them.
@triton.jit
def composed(p: "*fp32", n: "i32"):
    i = tl.arange(0, 16)
    m = tl.zeros([2, 2], tl.int32)
    x = tl.zeros([16], tl.float32)
    tl.cdiv(n, None)
    # COMPOSED:      error: 'div' of 'cdiv' wants a number or a tile, found None
    # COMPOSED-NEXT:{{^}}      tl.cdiv(n, None){{$}}
    # COMPOSED-NEXT:{{^}}                 ^~~~{{$}}
    tl.cdiv(p, 3)
    # COMPOSED:      error: 'cdiv' wants numbers, found pointer to fp32; 'tl.load' reads the numbers there
    # COMPOSED-NEXT:{{^}}      tl.cdiv(p, 3){{$}}
    # COMPOSED-NEXT:{{^}}              ^{{$}}
    tl.cdiv(i, 3.5)
    # COMPOSED:      error: 'cdiv' wants integers, found constant 3.5
    # COMPOSED-NEXT:{{^}}      tl.cdiv(i, 3.5){{$}}
    # COMPOSED-NEXT:{{^}}                 ^~~{{$}}
    tl.cdiv(n.to(tl.uint32), i)
    # COMPOSED:      error: 'cdiv' cannot combine uint32 and tile of int32 [16], one signed and one not: cast one of them
    # COMPOSED-NEXT:{{^}}      tl.cdiv(n.to(tl.uint32), i){{$}}
    # COMPOSED-NEXT:{{^}}      ^       ~~~~~~~~~~~~~~~  ~{{$}}
    tuple.index(n, 2)
    # COMPOSED:      error: 'self' of 'tuple.index' wants a tuple, found int32
    # COMPOSED-NEXT:{{^}}      tuple.index(n, 2){{$}}
    # COMPOSED-NEXT:{{^}}                  ^{{$}}
    dict.items(n)
    # COMPOSED:      error: 'self' of 'dict.items' wants a dict, found int32
    str.title(n)
    # COMPOSED:      error: 'self' of 'str.title' wants a string, found int32
    str.format(n, 3)
    # COMPOSED:      error: 'self' of 'str.format' wants a string, found int32
    str.format()
    # COMPOSED:      error: 'str.format' wants a value for 'self'
    int.bit_length("a")
    # COMPOSED:      error: 'self' of 'int.bit_length' wants an int, found string 'a'
    float.is_integer((1, 2))
    # COMPOSED:      error: 'self' of 'float.is_integer' wants a float, found tuple of 2
    tl.cdiv(i, m)
    # COMPOSED:      error: 'cdiv' cannot combine tile of int32 [16] and tile of int32 [2, 2]: their shapes do not broadcast, 16 against 2 in dimension 1
    # COMPOSED-NEXT:{{^}}      tl.cdiv(i, m){{$}}
    # COMPOSED-NEXT:{{^}}      ^       ~  ~{{$}}
    tl.swizzle2d(None, n, 4, 4, 2)
    # COMPOSED:      error: 'i' of 'swizzle2d' wants a number or a tile, found None
    # COMPOSED-NEXT:{{^}}      tl.swizzle2d(None, n, 4, 4, 2){{$}}
    # COMPOSED-NEXT:{{^}}                   ^~~~{{$}}
    tl.swizzle2d(n, n, 4, 4.5, 2)
    # COMPOSED:      error: 'swizzle2d' wants integers, found constant 4.5
    # COMPOSED-NEXT:{{^}}      tl.swizzle2d(n, n, 4, 4.5, 2){{$}}
    # COMPOSED-NEXT:{{^}}                            ^~~{{$}}
    tl.swizzle2d(i, n, m, 4, 2)
    # COMPOSED:      error: 'swizzle2d' cannot combine tile of int32 [16] and tile of int32 [2, 2]: their shapes do not broadcast, 16 against 2 in dimension 1
    # COMPOSED-NEXT:{{^}}      tl.swizzle2d(i, n, m, 4, 2){{$}}
    # COMPOSED-NEXT:{{^}}      ^            ~  ~{{$}}
    tl.softmax(p + i)
    # COMPOSED:      error: 'softmax' wants numbers, found tile of pointers to fp32 [16]; 'tl.load' reads the numbers there
    # COMPOSED-NEXT:{{^}}      tl.softmax(p + i){{$}}
    # COMPOSED-NEXT:{{^}}                 ^~~~~{{$}}
    tl.softmax(i)
    # COMPOSED:      error: 'softmax' wants fp32 or fp64, found tile of int32 [16]; convert it with .to(tl.float32)
    # COMPOSED-NEXT:{{^}}      tl.softmax(i){{$}}
    # COMPOSED-NEXT:{{^}}                 ^{{$}}
    tl.softmax(x, 1)
    # COMPOSED:      error: tile of fp32 [16] has no dimension 1
    # COMPOSED-NEXT:{{^}}      tl.softmax(x, 1){{$}}
    # COMPOSED-NEXT:{{^}}                    ^{{$}}
    tl.softmax(x, ieee_rounding=3.5)
    # COMPOSED:      error: 'ieee_rounding' of 'softmax' wants a constant bool, found constant 3.5
    # COMPOSED-NEXT:{{^}}      tl.softmax(x, ieee_rounding=3.5){{$}}
    # COMPOSED-NEXT:{{^}}                                  ^~~{{$}}
    tl.histogram(i, 16, mask=m > 0)
    # COMPOSED:      error: 'mask' of 'histogram' wants a tile of the shape [16], found tile of int1 [2, 2]
    # COMPOSED-NEXT:{{^}}      tl.histogram(i, 16, mask=m > 0){{$}}
    # COMPOSED-NEXT:{{^}}                               ^~~~~{{$}}
    tl.logical_and(i > 0, m > 0)
    # COMPOSED:      error: 'logical_and' cannot combine tile of int1 [16] and tile of int1 [2, 2]: their shapes do not broadcast, 16 against 2 in dimension 1
    # COMPOSED-NEXT:{{^}}      tl.logical_and(i > 0, m > 0){{$}}
    # COMPOSED-NEXT:{{^}}      ^              ~~~~~  ~~~~~{{$}}
    tl.rand(i, m)
    # COMPOSED:      error: 'rand' cannot combine tile of int32 [16] and tile of int32 [2, 2]: their shapes do not broadcast, 16 against 2 in dimension 1
    # COMPOSED-NEXT:{{^}}      tl.rand(i, m){{$}}
    # COMPOSED-NEXT:{{^}}      ^       ~  ~{{$}}
    tl.pair_uniform_to_normal(x, p)
    # COMPOSED:      error: 'pair_uniform_to_normal' wants numbers, found pointer to fp32; 'tl.load' reads the numbers there
    # COMPOSED-NEXT:{{^}}      tl.pair_uniform_to_normal(x, p){{$}}
    # COMPOSED-NEXT:{{^}}                                   ^{{$}}
    libdevice.fmod(p, x)
    # COMPOSED:      error: 'fmod' wants numbers, found pointer to fp32; 'tl.load' reads the numbers there
    # COMPOSED-NEXT:{{^}}      libdevice.fmod(p, x){{$}}
    # COMPOSED-NEXT:{{^}}                     ^{{$}}
    libdevice.fmod(m.to(tl.float32), x)
    # COMPOSED:      error: 'fmod' cannot combine tile of fp32 [2, 2] and tile of fp32 [16]: their shapes do not broadcast, 2 against 16 in dimension 1
    # COMPOSED-NEXT:{{^}}      libdevice.fmod(m.to(tl.float32), x){{$}}
    # COMPOSED-NEXT:{{^}}      ^              ~~~~~~~~~~~~~~~~  ~{{$}}
    libdevice.fma_rn(x, x, m.to(tl.float32))
    # COMPOSED:      error: 'fma_rn' cannot combine tile of fp32 [2, 2] and tile of fp32 [16]: their shapes do not broadcast, 2 against 16 in dimension 1
    # COMPOSED-NEXT:{{^}}      libdevice.fma_rn(x, x, m.to(tl.float32)){{$}}
    # COMPOSED-NEXT:{{^}}      ^                ~  ~{{$}}
    libdevice.fast_powf(x, p)
    # COMPOSED:      error: 'fast_powf' wants an fp32 or an integer, found pointer to fp32
    # COMPOSED-NEXT:{{^}}      libdevice.fast_powf(x, p){{$}}
    # COMPOSED-NEXT:{{^}}                             ^{{$}}
    tl.mul(p, 3)
    # COMPOSED:      error: 'mul' wants numbers, found pointer to fp32; 'tl.load' reads the numbers there
    # COMPOSED-NEXT:{{^}}      tl.mul(p, 3){{$}}
    # COMPOSED-NEXT:{{^}}             ^{{$}}
    tl.add(p, 1.5)
    # COMPOSED:      error: 'add' cannot combine pointer to fp32 and constant 1.5: a pointer moves by '+' and '-' of integers
    # COMPOSED-NEXT:{{^}}      tl.add(p, 1.5){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~~~{{$}}
    tl.add(p, p)
    # COMPOSED:      error: 'add' cannot combine pointer to fp32 and pointer to fp32: a pointer moves by '+' and '-' of integers
    # COMPOSED-NEXT:{{^}}      tl.add(p, p){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~{{$}}
    tl.sub(n, p)
    # COMPOSED:      error: 'sub' cannot combine int32 and pointer to fp32: a pointer moves by '+' and '-' of integers
    # COMPOSED-NEXT:{{^}}      tl.sub(n, p){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~{{$}}
    tl.sub(p, p)
    # COMPOSED:      error: 'sub' cannot combine pointer to fp32 and pointer to fp32: a pointer moves by '+' and '-' of integers
    # COMPOSED-NEXT:{{^}}      tl.sub(p, p){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~{{$}}
    z = x.to(tl.float8e4nv)
    tl.add(z, n)
    # COMPOSED:      error: 'add' cannot combine tile of fp8e4nv [16] and int32
    # COMPOSED-NEXT:{{^}}      tl.add(z, n){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~{{$}}
    tl.sub(i, z)
    # COMPOSED:      error: 'sub' cannot combine tile of int32 [16] and tile of fp8e4nv [16]
    # COMPOSED-NEXT:{{^}}      tl.sub(i, z){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~{{$}}
    tl.mul(z, n)
    # COMPOSED:      error: 'mul' cannot combine tile of fp8e4nv [16] and int32
    # COMPOSED-NEXT:{{^}}      tl.mul(z, n){{$}}
    # COMPOSED-NEXT:{{^}}      ^      ~  ~{{$}}


@triton.jit
def memory(p: "*fp32", q: "*i32", n: "i32"):
    i = tl.arange(0, 8)
    tl.atomic_poll(q, 3, sem="acquire")
    tl.atomic_poll(q, 3, sem="release")
    # MEMORY:      error: 'sem' of 'atomic_poll' wants one of 'acquire', 'relaxed', found string 'release'
    # MEMORY-NEXT:{{^}}      tl.atomic_poll(q, 3, sem="release"){{$}}
    # MEMORY-NEXT:{{^}}                               ^~~~~~~~~{{$}}
    tl.atomic_poll(n, 3)
    # MEMORY:      error: 'atomic_poll' wants a pointer, found int32
    # MEMORY-NEXT:{{^}}      tl.atomic_poll(n, 3){{$}}
    # MEMORY-NEXT:{{^}}                     ^{{$}}
    tl.atomic_poll(q, p)
    # MEMORY:      error: 'atomic_poll' wants numbers, found pointer to fp32; 'tl.load' reads the numbers there
    # MEMORY-NEXT:{{^}}      tl.atomic_poll(q, p){{$}}
    # MEMORY-NEXT:{{^}}                        ^{{$}}
    tl.atomic_poll(q, 3, timeout_ns=1.5)
    # MEMORY:      error: 'timeout_ns' of 'atomic_poll' wants one integer, found constant 1.5
    # MEMORY-NEXT:{{^}}      tl.atomic_poll(q, 3, timeout_ns=1.5){{$}}
    # MEMORY-NEXT:{{^}}                                      ^~~{{$}}
    d = tl.make_tensor_descriptor(p, [n, 16], [16, 1], [1, 16])
    d.gather(i, 0)
    d.gather(3, 0)
    # MEMORY:      error: 'x_offsets' of 'tensor_descriptor.gather' wants a tile of i16 or i32 of 1 dimension, found constant 3
    # MEMORY-NEXT:{{^}}      d.gather(3, 0){{$}}
    # MEMORY-NEXT:{{^}}               ^{{$}}
    d.gather(i, i)
    # MEMORY:      error: 'y_offset' of 'tensor_descriptor.gather' wants one integer, found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      d.gather(i, i){{$}}
    # MEMORY-NEXT:{{^}}                  ^{{$}}
    d.scatter(i, i, 0)
    # MEMORY:      error: 'value' of 'tensor_descriptor.scatter' wants a tile of the shape [8, 16], found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      d.scatter(i, i, 0){{$}}
    # MEMORY-NEXT:{{^}}                ^{{$}}
    d.atomic_add([0], tl.zeros([1, 16], tl.float32))
    # MEMORY:      error: 'offsets' of 'tensor_descriptor.atomic_add' is a number for each dimension of the block, 2 in all; found 1
    # MEMORY-NEXT:{{^}}      d.atomic_add([0], tl.zeros([1, 16], tl.float32)){{$}}
    # MEMORY-NEXT:{{^}}                   ^~~{{$}}
    d.atomic_add([0, i], tl.zeros([1, 16], tl.float32))
    # MEMORY:      error: an integer is wanted for dimension 1, found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      d.atomic_add([0, i], tl.zeros([1, 16], tl.float32)){{$}}
    # MEMORY-NEXT:{{^}}                       ^{{$}}
    d.atomic_add([0, 0], i)
    # MEMORY:      error: 'value' of 'tensor_descriptor.atomic_add' wants a tile of the shape [1, 16], found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      d.atomic_add([0, 0], i){{$}}
    # MEMORY-NEXT:{{^}}                           ^{{$}}
    tl.philox_impl(i, i, i, i, i, i)
    # MEMORY:      error: 'c0' of 'philox_impl' wants uint32 or uint64, found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      tl.philox_impl(i, i, i, i, i, i){{$}}
    # MEMORY-NEXT:{{^}}                     ^{{$}}
