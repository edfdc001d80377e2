# assembly.py -- PTX of the user's, compared with NumPy.
# devices: sim
# run: --kernel=kernel --grid=1 --arg b=@assembly-b.npy --arg w=@assembly-w.npy --arg f=@assembly-f.npy --arg out=zeros:i32[5x256] --reference out=assembly.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def kernel(b, w, f, out):
    i = tl.arange(0, 256)
    bytes = tl.load(b + i)
    words = tl.load(w + i)
    floats = tl.load(f + i)
    # four bytes in a word
    x = tl.inline_asm_elementwise(
        "xor.b32 $0, $1, 0x01010101;", "=r,r", [bytes], tl.uint8, True, 4
    )
    tl.store(out + i, x.to(tl.int32))
    # two results
    s, d = tl.inline_asm_elementwise(
        "{ add.s32 $0, $2, $3; sub.s32 $1, $2, $3; }",
        "=r,=r,r,r",
        [words, 7],
        (tl.int32, tl.int32),
        is_pure=True,
        pack=1,
    )
    tl.store(out + 256 + i, s)
    tl.store(out + 512 + i, d)
    # with an effect, as far as we know
    n = tl.inline_asm_elementwise("neg.f32 $0, $1;", "=f,f", [floats], tl.float32, False, 1)
    tl.store(out + 768 + i, n.to(tl.int32))
    # a tile of 64 has less than four elements a thread
    j = tl.arange(0, 64)
    y = tl.inline_asm_elementwise(
        "not.b32 $0, $1;", "=r,r", [tl.load(b + j)], tl.uint8, True, 4
    )
    tl.store(out + 1024 + j, y.to(tl.int32))
