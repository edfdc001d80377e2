# Functions that the uses of uses.txt may call, and each decorator with each argument.
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


def check(*args, **kwargs):
    return args[0]


@triton.autotune(
    configs=[
        triton.Config(kwargs={"BLOCK": 64}, num_warps=2, num_stages=1, num_ctas=1, maxnreg=None,
                      pre_hook=None, ir_override=None),
        triton.Config({"BLOCK": 128}, 8),
    ],
    key=["n"], prune_configs_by={"early_config_prune": check}, reset_to_zero=["x"],
    restore_value=["x"], pre_hook=check, post_hook=check, warmup=1, rep=2, use_cuda_graph=False,
    do_bench=check, cache_results=True)
@triton.heuristics(values={"EVEN": lambda args: args["BLOCK"] % 64 == 0})
@triton.jit(version=1, repr=check, launch_metadata=check, do_not_specialize=["n"],
            do_not_specialize_on_alignment=[0], debug=True, noinline=True)
def tuned(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.static_assert(EVEN)
    tl.store(x + i, limits(), mask=i < n)


@triton.must_use_result("use it")
@triton.jit
def plus(a, b):
    return a + b


@triton.jit(fn=None)
def plus_two(a, b, c, d):
    return a + c, b + d


@triton.jit
def plus4(a, b, c, d):
    return a + c, b + d


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second):
        self.first = first
        self.second = second


@triton.constexpr_function
def limits():
    return triton.cdiv(x=7, y=2) + triton.next_power_of_2(n=5)


# Each use stores its `r`, so that it is not removed.
@triton.jit
def keep(out, r):
    if r.dtype.is_ptr():
        r = r.to(tl.int64)
    if r.dtype.is_fp8():
        r = r.to(tl.float16)
    r = r.to(tl.float32)
    if r.type.is_block():
        tl.store(out + tl.arange(0, r.numel).reshape(r.shape), r)
    else:
        tl.store(out, r)
