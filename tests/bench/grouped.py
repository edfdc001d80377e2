# grouped.py -- a grouped product by descriptors, as in Triton's tutorial: the
# addresses, sizes and strides of each product are in tables.
import triton
import triton.language as tl


@triton.jit
def grouped(a_ptrs, b_ptrs, c_ptrs, sizes, lds, count, P: tl.constexpr,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    last_end = 0
    for g in range(count):
        gm = tl.load(sizes + g * 3)
        gn = tl.load(sizes + g * 3 + 1)
        gk = tl.load(sizes + g * 3 + 2)
        across = tl.cdiv(gn, BN)
        tiles = tl.cdiv(gm, BM) * across
        if tile >= last_end and tile < last_end + tiles:
            lda = tl.load(lds + g * 3)
            ldb = tl.load(lds + g * 3 + 1)
            ldc = tl.load(lds + g * 3 + 2)
            a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            a_desc = tl.make_tensor_descriptor(a_ptr, [gm, gk], [lda, 1],
                                               [BM, BK])
            b_desc = tl.make_tensor_descriptor(b_ptr, [gn, gk], [ldb, 1],
                                               [BN, BK])
            c_desc = tl.make_tensor_descriptor(c_ptr, [gm, gn], [ldc, 1],
                                               [BM, BN])
            while tile >= last_end and tile < last_end + tiles:
                m = (tile - last_end) // across * BM
                n = (tile - last_end) % across * BN
                acc = tl.zeros((BM, BN), dtype=tl.float32)
                for k in range(0, tl.cdiv(gk, BK)):
                    a = a_desc.load([m, k * BK])
                    b = b_desc.load([n, k * BK])
                    acc += tl.dot(a, b.T)
                c_desc.store([m, n], acc.to(tl.float16))
                tile += P
        last_end = last_end + tiles
