# releases.py -- numbers that are stored as bools: since Triton 3.9 false if the
# number is 0, before if its low byte is; through pointers, block pointers and
# descriptors.  `other` of a load is a byte, in both.
# run: --triton=3.8 --grid=1 --arg big=full(256):i16[16] --arg far=full(1099511627776):i64[16] --arg small=full(0.25):fp16[16] --arg out=zeros:u8[8x16] --reference out=releases-bytes.npy --tolerance=0
# run: --triton=3.9 --grid=1 --arg big=full(256):i16[16] --arg far=full(1099511627776):i64[16] --arg small=full(0.25):fp16[16] --arg out=zeros:u8[8x16] --reference out=releases-truths.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def stores(big, far, small, out):
    i = tl.arange(0, 16)
    nan = tl.load(small + i) * float("nan")
    p = out.to(tl.pointer_type(tl.int1))
    tl.store(p + i, tl.load(big + i))
    tl.store(p + 16 + i, tl.load(far + i))
    tl.store(p + 32 + i, tl.load(small + i))
    tl.store(p + 48, tl.load(big))
    block = tl.make_block_ptr(p + 64, (16,), (1,), (0,), (16,), (0,))
    tl.store(block, tl.load(big + i))
    rows = tl.make_tensor_descriptor(p + 80, [1, 16], [16, 1], [1, 16])
    rows.store([0, 0], tl.load(small + i).reshape(1, 16))
    tl.store(p + 96 + i, tl.load(p + i, mask=i < 0, other=tl.load(big + i)))
    tl.store(p + 112 + i, nan == nan)
    tl.store(p + 113 + i, nan, mask=i < 3)
