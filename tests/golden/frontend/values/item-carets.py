# A wrong item of a list is marked, and not the list; an index and not the whole
# indexed expression.
# RUN: not tilec %s --error-limit=99 --signature='*fp32,i32' -o - 2>&1 | FileCheck %s --strict-whitespace
import triton
import triton.language as tl


@triton.jit
def made(shape):
    return tl.zeros(shape, tl.float32)


@triton.jit
def k(x, n):
    v = tl.arange(0, 16)
    # CHECK: [[@LINE+1]]:23: error: 'shape' of 'zeros' is made of constant integers, found int32
    a = tl.zeros((16, n, 4), tl.float32)
    # CHECK: [[@LINE+1]]:28: error: sizes of a tile are powers of two; dimension 1 of [16, 30] is not
    a = tl.full(shape=[16, 30], value=0, dtype=tl.float32)
    # CHECK-NEXT: a = tl.full(shape=[16, 30], value=0, dtype=tl.float32)
    # CHECK-NEXT:                             ^~{{$}}
    # CHECK: [[@LINE+2]]:19: error: 'shape' of 'zeros' is made of constant integers, found int32
    a = tl.zeros((16,
                  n), tl.float32)
    # CHECK: :[[@LINE-15]]:21: error: sizes of a tile are powers of two; dimension 0 of [3, 4] is not
    a = made((3, 4))
    # CHECK: [[@LINE+1]]:18: error: sizes of a tile are powers of two; dimension 1 of [4, 6, 8] is not
    a = tl.zeros((*(4, 6), 8), tl.float32)
    # CHECK: [[@LINE+1]]:43: error: sizes of a tile are powers of two; dimension 0 of [30, 32] is not
    p = tl.make_block_ptr(x, block_shape=(30, 32), order=(1, 0), shape=(9, 9), strides=(9, 1), offsets=(0, 0))
    # CHECK: [[@LINE+1]]:74: error: 'order' is a permutation of the 2 dimensions, found [1, 2]
    p = tl.make_block_ptr(x, (9, 9), (9, 1), (0, 0), (16, 16), order=(1, 2))
    # CHECK: [[@LINE+1]]:31: error: an integer is wanted for dimension 0, found fp32
    p = tl.make_block_ptr(x, (9.5, 9), (9, 1), (0, 0), (16, 16), order=(1, 0))
    p = tl.make_block_ptr(x, (9, 9), (9, 1), (0, 0), (16, 16), order=(1, 0))
    # CHECK: [[@LINE+1]]:39: error: block pointer to fp32 [16, 16] has no dimension 2
    a = tl.load(p, boundary_check=(0, 2))
    # CHECK: [[@LINE+1]]:27: error: an integer is wanted for dimension 1, found pointer to fp32
    p = tl.advance(p, (0, x))
    # CHECK: [[@LINE+1]]:20: error: a tile is indexed with ':' and None only, found constant 0
    a = v[:, None, 0]
    # CHECK: [[@LINE+1]]:26: error: sizes of a tile are powers of two; dimension 1 of [4, 3] is not
    a = tl.reshape(v, 4, 3)
    # CHECK: [[@LINE+1]]:23: error: tile of int32 [16] cannot take the shape [4, 8]
    a = tl.reshape(v, 4, 8)
    # CHECK-NEXT: a = tl.reshape(v, 4, 8)
    # CHECK-NEXT:                   ^~~~{{$}}
    # CHECK: [[@LINE+1]]:30: error: [0, 2] is not a permutation of the dimensions
    a = tl.trans(v[None], 0, 2)
    # CHECK: [[@LINE+1]]:31: error: there is no dimension 5; there are 3, counted from 0
    a = tl.expand_dims(v, (0, 5))
    # CHECK: [[@LINE+1]]:16: error: the index of a tuple is a constant integer, found int32
    a = (1, 2)[n]
    # CHECK: [[@LINE+1]]:16: error: index 2 is out of range: the length of the tuple is 2
    a = (1, 2)[2]
    # CHECK: [[@LINE+1]]:18: error: the parts of a slice are constant integers, found int32
    a = (1, 2)[0:n]
