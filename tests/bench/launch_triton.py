#!/usr/bin/env python3
"""launch_triton.py -- measures the time that a launch costs its thread in Triton,
without a GPU: the driver and its launcher do nothing, so that only Triton's own
path from the call to the launcher counts; medians of 201 batches of 100.

The kernel has the 19 arguments of bench_launch: ten tensors, six integers, two
floats and a constant; once as it is, once under @autotune with a key that has
been tuned before.
"""
import statistics
import sys
import time

SKIPPED, BATCHES, BATCH = 77, 201, 100
try:
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.backends.driver import DriverBase
except ImportError as error:
    print(f"SKIP: Triton is not installed: {error}")
    sys.exit(SKIPPED)


class Tensor:
    """The members of a tensor that a launch reads."""

    dtype = "torch.float32"

    def data_ptr(self):
        return 4096


class Launcher:
    def __init__(self, src, metadata):
        pass

    def __call__(self, *args):
        pass


class Utils:
    def get_device_properties(self, device):
        return {"max_shared_mem": 232448, "multiprocessor_count": 132,
                "warpSize": 32}

    def load_binary(self, name, kernel, shared, device):
        return 1, 1, 32, 0, 1024

    def unload_module(self, module):
        pass


class Driver(DriverBase):
    def __init__(self):
        super().__init__()
        self.utils = Utils()
        self.launcher_cls = Launcher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0
        self.get_device_capability = lambda device: (9, 0)

    @staticmethod
    def is_active():
        return True

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_active_torch_device(self):
        return None

    def get_device_interface(self):
        return None

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    def get_benchmarker(self):
        return lambda call, quantiles: [call() or 1.0] * 3


@triton.jit
def many(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5, f0,
         f1, BLOCK: tl.constexpr):
    pass


@triton.autotune([triton.Config({"BLOCK": b}) for b in (4, 8)], key=["n0"])
@triton.jit
def tuned(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5, f0,
          f1, BLOCK: tl.constexpr):
    pass


def measure(name, launch):
    launch()
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(BATCH):
            launch()
        times.append((time.perf_counter() - start) / BATCH)
    print(f"{name}: {statistics.median(times) * 1e6:.2f} us")


def main():
    triton.runtime.driver.set_active(Driver())
    args = [Tensor()] * 10 + [16 * i + 3 for i in range(6)] + [0.5, 0.5]
    print(f"Triton {triton.__version__}")
    measure("19 arguments", lambda: many[(1,)](*args, 64))
    measure("18 arguments, tuned by a key", lambda: tuned[(1,)](*args))


main()
