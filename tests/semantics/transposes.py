# transposes.py -- tiles that are loaded along one axis and stored along the
# other, larger than the shared memory of a chip: each element of `out`, read
# back, has the right value.
# also: sim sm_86
# run: --kernel=copy --grid=1 --num-warps=8 --arg x=arange:i64[256,128] --arg out=empty:i32[128,256] --arg right=empty:i32[1] -D M=256 -D N=128 --reference right=transposes.npy --tolerance=0
# run: --kernel=copy --grid=1 --num-warps=8 --arg x=arange:i64[128,256] --arg out=empty:i32[256,128] --arg right=empty:i32[1] -D M=128 -D N=256 --reference right=transposes.npy --tolerance=0
# run: --kernel=copy --grid=1 --num-warps=8 --signature=*i64,*i32,*i32,128,256 --arg x=arange:i64[128,256] --arg out=empty:i32[256,128] --arg right=empty:i32[1] --reference right=transposes.npy --tolerance=0
# run: --kernel=turned --grid=1 --num-warps=8 --arg x=arange:i64[256,128] --arg out=empty:i32[128,256] --arg right=empty:i32[1] -D M=256 -D N=128 --reference right=transposes.npy --tolerance=0
# run: --kernel=widened --grid=1 --num-warps=8 --arg x=arange:i16[128,256] --arg out=empty:i32[256,128] --arg right=empty:i32[1] -D M=128 -D N=256 --reference right=transposes.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def count_right(out, right, M: tl.constexpr, N: tl.constexpr):
    tl.debug_barrier()
    e = tl.arange(0, 1024)
    same = 0
    for start in range(0, M * N, 1024):
        at = start + e
        same += tl.sum((tl.load(out + at) == at % M * N + at // M).to(tl.int32))
    tl.store(right, same)


@triton.jit
def copy(x, out, right, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(out + j * M + i, tl.load(x + i * N + j).to(tl.int32))
    count_right(out, right, M, N)


@triton.jit
def turned(x, out, right, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(v).to(tl.int32))
    count_right(out, right, M, N)


# A chain of ops, of which the first ones are the narrowest.
@triton.jit
def widened(x, out, right, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    v = tl.load(x + i * N + j).to(tl.float32) * 2.0
    tl.store(out + j * M + i, (v * 0.5).to(tl.int32) & 0xFFFF)
    count_right(out, right, M, N)
