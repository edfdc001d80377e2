#!/usr/bin/env python3
"""test_peers.py EXAMPLES -- tests the calls of PyTorch and Triton in torch_peers.py.

PyTorch runs the calls on the CPU; Triton's kernels are not run, but the arguments
of each launch must fit the kernel.
"""
import inspect
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import torch
    import triton
except ImportError as problem:
    print(f"SKIP: {problem}")
    sys.exit(77)
import torch_peers

SIZES = {"vector-add": [3000, 0, 0], "softmax": [3, 200, 0],
         "layer-norm": [3, 200, 0], "matmul": [128, 256, 64],
         "fused-attention": [1, 128, 64], "attention-backward": [1, 128, 64]}
# A CPU has no cuDNN; everything else must be there.
EXPECTED = {"torch", "cuBLAS", "torch's choice", "Triton"}


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


class Kernel:
    """A stand-in for a Triton kernel; a launch binds its arguments."""

    def __init__(self, kernel):
        self.parameters = inspect.signature(kernel.fn)

    def __getitem__(self, grid):
        assert all(isinstance(n, int) and n > 0 for n in grid), grid

        def launch(*args, num_warps=4, num_stages=3):
            assert num_warps in (4, 8, 16) and 1 <= num_stages <= 5
            bound = self.parameters.bind(*args)
            for name, value in bound.arguments.items():
                annotation = self.parameters.parameters[name].annotation
                is_const = "constexpr" in str(annotation)
                assert not (is_const and isinstance(value, torch.Tensor)), name
        return launch


def module_of_kernels(examples, name):
    module = load_module(examples, name)
    for key, value in vars(module).copy().items():
        if isinstance(value, triton.runtime.JITFunction):
            setattr(module, key, Kernel(value))
    return module


load_module = torch_peers.triton_module


def main():
    torch_peers.triton_module = module_of_kernels
    for name in "Event", "_sleep", "empty_cache":
        assert hasattr(torch.cuda, name), name
    torch.cuda.Event, torch.cuda._sleep = Event, lambda cycles: None
    torch_peers.DEVICE, torch_peers.MAX_SETS = "cpu", 2
    torch_peers.MAX_LAUNCHES = 2
    failed = 0
    for family, size in SIZES.items():
        for causal in (False, True) if "attention" in family else (False,):
            problem = {"family": family, "size": size, "causal": causal}
            for name, make in torch_peers.makers(sys.argv[1], problem).items():
                try:
                    call = make()
                    count = torch_peers.launches(call)
                    seconds = torch_peers.seconds_of(call, 2, count)
                    print(family, name, count, f"{1e3 * seconds[0]:.3f} ms")
                except Exception as error:
                    print(family, name, type(error).__name__, error)
                    failed += name in EXPECTED
        torch_peers.forget()
    sys.exit(1 if failed else 0)


main()
