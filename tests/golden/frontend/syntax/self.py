# REQUIRES: tilec
# RUN: not tilec -o - %s 2>&1 | FileCheck %s

# Methods of types and descriptors, called through their class.
import triton
import triton.language as tl


@triton.jit
def k(p: "*fp32"):
    tl.static_assert(tl.dtype.is_fp32(tl.float32))
    x = tl.load(p)
    # CHECK: self.py:[[#@LINE+1]]:25: error: 'dtype.is_fp8' wants types, found fp32
    a = tl.dtype.is_fp8(x)
    # CHECK: self.py:[[#@LINE+1]]:40: error: 'block_type.get_block_shapes' wants types
    b = tl.block_type.get_block_shapes("text")
    # CHECK: self.py:[[#@LINE+1]]:35: error: 'tensor_descriptor.load' wants a descriptor
    c = tl.tensor_descriptor.load(p, [0])
    # CHECK: self.py:[[#@LINE+1]]:23: error: 'type_str' of 'dtype.is_dtype' wants a string, found constant 3
    tl.dtype.is_dtype(3)
