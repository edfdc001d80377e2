# Faults of the past: a kernel each.
import triton
import triton.language as tl


@triton.heuristics(values={"WIDE": lambda args: next_power_of_2(args["n"])})
@triton.jit
def heuristic_of_an_argument(n, WIDE):
    pass


@triton.jit
def definition_without_a_name(x):
    def = 1


@triton.jit
def block_on_its_own_line(n):
    t = 0
    while t < n: t = t + 1.0


@triton.jit
def block_without_dimensions(p):
    x = tl.make_block_ptr(p, (), (), (), (), ())


@triton.jit
def tuple_that_doubles(p):
    t = (1,)
    for i in tl.static_range(50):
        t += t
