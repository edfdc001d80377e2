# REQUIRES: tilec
# RUN: not tilec %s --signature="*fp32, *i32" -o /dev/null 2>&1 | FileCheck %s

# The bits of floats are combined through pointers, not through descriptors.
import triton
import triton.language as tl


@triton.jit
def bits(x, y):
    floats = tl.make_tensor_descriptor(x, [64], [1], [16])
    words = tl.make_tensor_descriptor(y, [64], [1], [16])
    words.atomic_and([0], tl.full([16], 6, tl.int32))
    words.atomic_or([0], tl.full([16], 6, tl.int32))
    words.atomic_xor([0], tl.full([16], 6, tl.int32))
    # CHECK-NOT: int32
    # CHECK: error: 'atomic_and' wants integers, found descriptor of fp32 [16]
    floats.atomic_and([0], tl.full([16], 6, tl.float32))
    # CHECK: error: 'atomic_or' wants integers, found descriptor of fp32 [16]
    floats.atomic_or([0], tl.full([16], 6, tl.float32))
    # CHECK: error: 'atomic_xor' wants integers, found descriptor of fp32 [16]
    floats.atomic_xor([0], tl.full([16], 6, tl.float32))
    # CHECK: error: 'atomic_max' takes integers of 32 and 64 bits, fp16 and bf16, found fp32
    floats.atomic_max([0], tl.full([16], 6, tl.float32))
    # CHECK: error: 'atomic_min' takes integers of 32 and 64 bits, fp16 and bf16, found fp32
    floats.atomic_min([0], tl.full([16], 6, tl.float32))
    words.atomic_max([0], tl.full([16], 6, tl.int32))
    tl.atomic_xor(x, 1.0)
