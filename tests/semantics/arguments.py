# arguments.py -- how arguments specialize a kernel.
# run: --kernel=constants --grid=1 -D SHAPE=(2,(4,8)) -D TYPE=fp16 -D POINTER=*fp32 -D ACT=halve -D NAME="relu" -D SCALE=0.25 -D FLAG=True -D NOTHING=None --arg out=zeros:fp64[10] --reference out=arguments-constants.npy --tolerance=0
# run: --kernel=tuples --grid=1 --arg values=(3,1,0.5,None,(16,-7)) --arg outs=(zeros:fp64[5],zeros:i32[2]) --reference outs_0=arguments-tuples.npy --reference outs_1=arguments-ints.npy --tolerance=0
# run: --kernel=folded --grid=1 --arg a=1 --arg b=1 --arg c=1 --arg d=1 --arg e=1 --arg f=None --arg out=zeros:i32[6] --reference out=arguments-folded.npy --tolerance=0
# run: --kernel=annotated --grid=1 --arg a=7 --arg b=7 --arg c=7 --arg d=7 --arg e=1 --arg x=zeros:fp16[4] --arg out=zeros:i32[6] --reference out=arguments-annotated.npy --tolerance=0
# run: --kernel=tuned --grid=1 --arg n=100 --arg out=zeros:i32[4] --reference out=arguments-tuned.npy --tolerance=0
# run: --kernel=tuned --grid=1 --config=1 --arg n=100 --arg out=zeros:i32[4] --reference out=arguments-tuned-1.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def halve(x):
    return x / 2


@triton.jit
def constants(out, SHAPE: tl.constexpr, TYPE: tl.constexpr, POINTER: tl.constexpr,
              ACT: tl.constexpr, NAME: tl.constexpr, SCALE: tl.constexpr,
              FLAG: tl.constexpr, NOTHING: tl.constexpr):
    tl.static_assert(TYPE == tl.float16)
    tl.static_assert(POINTER == tl.pointer_type(tl.float32))
    tl.static_assert(POINTER.element_ty == tl.float32)
    tl.static_assert(NOTHING is None)
    rows, (columns, last) = SHAPE
    tl.store(out, rows)
    tl.store(out + 1, columns + last)
    tl.store(out + 2, tl.sum(tl.full(SHAPE[1], 1.0, tl.float32)))
    tl.store(out + 3, ACT(SCALE))
    tl.store(out + 4, 1 if NAME == "relu" else 2)
    if FLAG:
        tl.store(out + 5, SCALE)
    tl.store(out + 6, tl.full((), 2049, TYPE))
    tl.store(out + 7, len(SHAPE))
    tl.store(out + 8, ACT(ACT(1.0)))
    tl.store(out + 9, TYPE.primitive_bitwidth)


@triton.jit
def add_one(values):
    return tl.tuple([v + 1 for v in values])


@triton.jit
def tuples(values, outs):
    out, ints = outs
    a, one, half, none, inner = values
    tl.static_assert(none is None)
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(len(values) == 5)
    tl.store(out, a)
    tl.store(out + 1, one)
    tl.store(out + 2, half)
    for i in tl.static_range(len(inner)):
        tl.store(out + 3 + i, inner[i])
        tl.store(ints + i, add_one(inner)[i])


@triton.jit(do_not_specialize=["b", 2])
def folded(a, b, c, d: tl.int64, e: int, f, out):
    tl.static_assert(f is None)
    tl.store(out, a)
    tl.store(out + 1, b + c)
    tl.store(out + 2, d)
    tl.store(out + 3, e)
    tl.store(out + 4, d.dtype.primitive_bitwidth)
    tl.store(out + 5, b.dtype.primitive_bitwidth)


@triton.jit
def annotated(x: "*fp16", a: tl.int8, b: "u16", c: float, d: tl.uint64, e: bool, out):
    tl.static_assert(x.dtype == tl.pointer_type(tl.float16))
    tl.static_assert(a.dtype == tl.int8 and b.dtype == tl.uint16)
    tl.static_assert(c.dtype == tl.float32 and d.dtype == tl.uint64)
    tl.static_assert(e.dtype == tl.int1)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, (c * 2).to(tl.int32))
    tl.store(out + 3, d)
    tl.store(out + 4, e)
    tl.store(out + 5, x.dtype.element_ty.primitive_bitwidth)


RULES = {
    "EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
    "WIDE": lambda args: triton.next_power_of_2(args["n"]),
}


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": block, "SPLIT": split}, num_warps=warps)
        for block, split, warps in [(64, 1, 2), (25, 4, 4)]
    ],
    key=["n"],
)
@triton.heuristics(values=RULES)
@triton.jit
def tuned(n, out, BLOCK: tl.constexpr, SPLIT: tl.constexpr, EVEN: tl.constexpr,
          WIDE: tl.constexpr):
    tl.store(out, BLOCK)
    tl.store(out + 1, SPLIT)
    tl.store(out + 2, 1 if EVEN else 0)
    tl.store(out + 3, WIDE)
