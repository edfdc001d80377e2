# simulator.py -- the Driver API of libtilesim.so, as far as a test needs it.
import ctypes
import json
import os
import tempfile

import numpy as np

LAUNCH_FAILED = 719
PROCESS_ERROR = "{}: error {}\n{}"


class Simulator:
    def __init__(self, library, chip):
        self.reports = tempfile.NamedTemporaryFile(suffix=".json")
        os.environ["TILE_SIM_CHIP"] = chip
        os.environ["TILE_SIM_REPORT"] = self.reports.name
        self.driver = ctypes.CDLL(library)
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxPushCurrent_v2", context)

    def call(self, name, *args, log=None):
        error = getattr(self.driver, name)(*args)
        if error:
            text = log.value.decode() if log else ""
            raise RuntimeError(PROCESS_ERROR.format(name, error, text))

    def upload(self, array):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address),
                  ctypes.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", address,
                  array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes))
        return address

    def download(self, address, array):
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p),
                  address, ctypes.c_size_t(array.nbytes))
        self.call("cuMemFree_v2", address)

    def load(self, ptx, name, shared):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(4000)
        options = (ctypes.c_int * 2)(5, 6)  # the error log and its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode(), 2,
                  options, values, log=log)
        self.call("cuModuleGetFunction", ctypes.byref(function), module,
                  name.encode())
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, 8, shared)
        return function

    def launch(self, function, grid, threads, shared, args, fault=None):
        """Arguments: arrays, which are copied there and back, or ctypes.  With a
        `fault` the launch must fail, and its reports be of that kind."""
        arrays = [(a, self.upload(a)) if isinstance(a, np.ndarray) else None
                  for a in args]
        values = [a[1] if a else b for a, b in zip(arrays, args)]
        params = (ctypes.c_void_p * len(values))(
            *[ctypes.addressof(v) for v in values])
        self.call("cuLaunchKernel", function, *grid, threads, 1, 1, shared,
                  None, params, None)
        if not fault:
            self.call("cuCtxSynchronize")
        elif self.driver.cuCtxSynchronize() != LAUNCH_FAILED:
            raise RuntimeError(f"a launch without '{fault}'")
        for pair in arrays:
            if pair:
                self.download(pair[1], pair[0])

    def take_reports(self, fault=None):
        """All but those of the fault that was expected."""
        found = [json.loads(line) for line in self.reports]
        return [one for one in found if one["kind"] != fault]


def fault_of(ptx):
    """The fault in Triton's own code: until 3.6 wgmma reads memory that
    cp.async or stores have written, without a fence.  A GPU hides the fault.
    """
    is_open = "wgmma.mma_async" in ptx and "fence.proxy.async" not in ptx
    return "proxy-fence" if is_open else None
