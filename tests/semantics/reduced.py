# reduced.py -- tiles that are reduced, or begin in the middle of a tensor, at
# strides that the launch gives.
# also: sim sm_80 sm_90
# run: --grid=1 --kernel=cube --num-warps=4 --arg x=@reduced-x.npy --arg out=zeros:int32[32x40] --arg s0=1 --arg s1=16 --arg s2=256 --arg t0=40 --arg t1=1 -D B=16 -D KIND=0 --reference out=reduced-sum.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=4 --arg x=@reduced-x.npy --arg out=zeros:int32[32x40] --arg s0=1 --arg s1=16 --arg s2=256 --arg t0=40 --arg t1=1 -D B=16 -D KIND=3 --reference out=reduced-sum.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=1 --arg x=@reduced-x.npy --arg out=zeros:int32[32x40] --arg s0=1 --arg s1=16 --arg s2=256 --arg t0=40 --arg t1=1 -D B=16 -D KIND=1 --reference out=reduced-last.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=8 --arg x=@reduced-x.npy --arg out=zeros:int32[32x40] --arg s0=1 --arg s1=16 --arg s2=256 --arg t0=40 --arg t1=1 -D B=16 -D KIND=2 --reference out=reduced-most.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=4 --arg x=@reduced-wide.npy --arg out=zeros:int32[32x40] --arg s0=32 --arg s1=1024 --arg s2=1 --arg t0=40 --arg t1=1 -D B=32 -D KIND=0 --reference out=reduced-wide-sum.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=4 --arg x=@reduced-wide.npy --arg out=zeros:int32[32x40] --arg s0=32 --arg s1=1024 --arg s2=1 --arg t0=40 --arg t1=1 -D B=32 -D KIND=3 --reference out=reduced-wide-sum.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=2 --arg x=@reduced-wide.npy --arg out=zeros:int32[32x40] --arg s0=32 --arg s1=1024 --arg s2=1 --arg t0=40 --arg t1=1 -D B=32 -D KIND=1 --reference out=reduced-wide-last.npy --tolerance=0
# run: --grid=1 --kernel=cube --num-warps=8 --arg x=@reduced-wide.npy --arg out=zeros:int32[32x40] --arg s0=32 --arg s1=1024 --arg s2=1 --arg t0=40 --arg t1=1 -D B=32 -D KIND=2 --reference out=reduced-wide-most.npy --tolerance=0
# run: --grid=5 --kernel=jagged --num-warps=4 --arg x=@reduced-values.npy --arg offsets=@reduced-offsets.npy --arg out=empty:int32[96x33] --arg row=33 -D D=33 -D BR=32 -D BC=64 --reference out=reduced-jagged.npy --tolerance=0
# run: --grid=5 --kernel=jagged --num-warps=2 --arg x=@reduced-values.npy --arg offsets=@reduced-offsets-i32.npy --arg out=empty:int32[96x33] --arg row=33 -D D=0 -D BR=32 -D BC=64 --reference out=reduced-jagged.npy --tolerance=0
# run: --grid=5 --kernel=jagged --num-warps=8 --arg x=@reduced-values.npy --arg offsets=@reduced-offsets.npy --arg out=empty:int32[96x33] --arg row=33 -D D=0 -D BR=32 -D BC=64 --reference out=reduced-jagged.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def later(a, b):
    return b


@triton.jit
def cube(x, out, s0, s1, s2, t0, t1, B: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, B)
    p = x + i[:, None, None] * s0 + i[None, :, None] * s1 + i[None, None, :] * s2
    v = tl.load(p)
    if KIND == 0:
        r = tl.sum(v, axis=2)
    elif KIND == 1:
        r = tl.reduce(v, 2, later)
    elif KIND == 2:
        r = tl.max(v, axis=2)
    at = out + i[:, None] * t0 + i[None, :] * t1
    if KIND == 3:
        tl.atomic_add(at, tl.sum(v, axis=2))
    else:
        tl.store(at, r)


# The rows of each sequence minus their sum. A sequence starts where the one
# before ends; all of them are far behind the address from which they are
# counted.
@triton.jit
def jagged(x, offsets, out, row, D: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr):
    start = tl.load(offsets + tl.program_id(0))
    length = tl.load(offsets + tl.program_id(0) + 1) - start
    rows, cols = tl.arange(0, BR), tl.program_id(0) * 0 + tl.arange(0, BC)
    width: tl.constexpr = 33
    there = (rows[:, None] < length) & (cols[None, :] < width)
    at = (start + rows)[:, None] * (D if D else row) + cols[None, :]
    v = tl.load(x + at, mask=there, other=0)
    tl.store(out + at, v - tl.sum(v, 0)[None, :], mask=there)
