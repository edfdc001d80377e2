# REQUIRES: tilec
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=scaled %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=SCALED --implicit-check-not='<library>'
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=numbers %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=NUMBERS --implicit-check-not='<library>'
# RUN: not tilec --emit=ir -o - --error-limit=99 --kernel=memory %s 2>&1 | FileCheck %s --strict-whitespace --check-prefix=MEMORY --implicit-check-not='<library>'

# What is written in the language itself tells what is wrong with its arguments
# at the call.
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
    # SCALED:      error: 'rhs_scale' of 'dot_scaled' wants None or a tile of uint8 [16, 2], a scale for each 32 elements along K, or twice as many, found tile of fp8e5 [16, 64]
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
    # NUMBERS:      error: 'atan2' wants numbers, found pointer to fp32; 'tl.load' reads what is there
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
    # MEMORY:      error: 'atomic_poll' wants numbers, found pointer to fp32; 'tl.load' reads what is there
    # MEMORY-NEXT:{{^}}      tl.atomic_poll(q, p){{$}}
    # MEMORY-NEXT:{{^}}                        ^{{$}}
    tl.atomic_poll(q, 3, timeout_ns=1.5)
    # MEMORY:      error: 'timeout_ns' of 'atomic_poll' wants one integer, found constant 1.5
    # MEMORY-NEXT:{{^}}      tl.atomic_poll(q, 3, timeout_ns=1.5){{$}}
    # MEMORY-NEXT:{{^}}                                      ^~~{{$}}
    d = tl.make_tensor_descriptor(p, [n, 16], [16, 1], [1, 16])
    d.gather(i, 0)
    d.gather(3, 0)
    # MEMORY:      error: 'x_offsets' of 'tensor_descriptor.gather' wants a tile of integers of 1 dimension, found constant 3
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
    # MEMORY-NEXT:{{^}}                   ^~~~~~{{$}}
    d.atomic_add([0, 0], i)
    # MEMORY:      error: 'value' of 'tensor_descriptor.atomic_add' wants a tile of the shape [1, 16], found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      d.atomic_add([0, 0], i){{$}}
    # MEMORY-NEXT:{{^}}                           ^{{$}}
    tl.philox_impl(i, i, i, i, i, i)
    # MEMORY:      error: 'c0' of 'philox_impl' wants uint32 or uint64, found tile of int32 [8]
    # MEMORY-NEXT:{{^}}      tl.philox_impl(i, i, i, i, i, i){{$}}
    # MEMORY-NEXT:{{^}}                     ^{{$}}
