# Triton 3.9 refuses code that 3.8 accepted.
# RUN: not tilec %s --triton=3.9 -o - 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not tilec %s --triton=3.8 -o - 2>&1 | FileCheck %s --check-prefix=OLD --implicit-check-not=error:
import triton
import triton.language as tl


@triton.jit
def refused(x: "*i32", h: "*fp16", n: "i32"):
    i = tl.arange(0, 16)
    u = tl.load(x + i).to(tl.uint32)
    # CHECK: [[#@LINE+1]]:23: error: constant -1 does not fit into uint32
    tl.store(x + i, u > -1)
    # CHECK: [[#@LINE+1]]:40: error: constant 300 does not fit into int8
    tl.store(x, tl.load(x).to(tl.int8) < 300)
    # CHECK: [[#@LINE+1]]:18: error: 'histogram' wants integers of 32 bits
    tl.histogram(u.to(tl.int16), 16)
    # CHECK: [[#@LINE+1]]:43: error: strides of a descriptor
    tl.make_tensor_descriptor(h, [n, n], [99, 1], [8, 8])
    # CHECK: [[#@LINE+1]]:5: error: 3 values are unpacked
    a, b = n, 1, 2
    # CHECK: [[#@LINE+1]]:26: error: 'boundary_check' of 'load' is given by name
    tl.load(x, n > 0, 1, ())
    # CHECK: [[#@LINE+1]]:27: error: 'boundary_check' of 'store' is given by name
    tl.store(x, 1, n > 0, (), ".cg")
    # CHECK: [[#@LINE+1]]:37: error: 'keep_dims' of 'softmax' is given by name
    tl.softmax(i.to(tl.float32), 0, True)
    # CHECK: [[#@LINE+1]]:5: error: 'exp' wants fp32 or fp64, found tile of fp16 [16]
    tl.load(h + i).exp()
    # Blocks get all arguments in order.
    block = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.store(block, tl.load(block, None, None, (0,), "zero"), None, (0,))
    # CHECK: error: unknown name 'nope'
    # OLD: error: unknown name 'nope'
    tl.store(x, nope)
