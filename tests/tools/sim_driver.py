"""sim_driver.py -- the simulator's CUDA driver, called from Python."""
import ctypes
import os

LOG, LOG_BYTES = 5, 6
SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Driver:
    def __init__(self, path):
        os.environ.setdefault("TILE_SIM_CHIP", "sm_90")
        self.lib = ctypes.CDLL(path)
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)

    def call(self, name, *args):
        error = getattr(self.lib, name)(*args)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def load(self, text):
        """Load the PTX; return its kernel `k` and its module."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(1000)
        options = (ctypes.c_int * 2)(LOG, LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), len(log))
        if self.lib.cuModuleLoadDataEx(ctypes.byref(module), text.encode(), 2, options, values):
            raise RuntimeError(log.value.decode())
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        return function, module

    def buffer(self, array):
        address = ctypes.c_uint64()
        size = ctypes.c_size_t(array.nbytes)
        self.call("cuMemAlloc_v2", ctypes.byref(address), size)
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), size)
        return address

    def fetch(self, address, array):
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), address,
                  ctypes.c_size_t(array.nbytes))

    def tiled_map(self, kind, address, dims, strides, box, steps, swizzle, fill):
        """A tensor map as 128 bytes, or None where the driver refuses it."""
        raw = (ctypes.c_ubyte * 192)()
        place = ctypes.addressof(raw)
        place += -place % 64
        rank = len(dims)
        error = self.lib.cuTensorMapEncodeTiled(
            ctypes.c_void_p(place), kind, rank, address, (ctypes.c_uint64 * rank)(*dims),
            (ctypes.c_uint64 * max(rank - 1, 1))(*strides or [0]), (ctypes.c_uint * rank)(*box),
            (ctypes.c_uint * rank)(*steps), 0, swizzle, 0, fill)
        return None if error else ctypes.string_at(place, 128)

    def im2col_map(self, kind, address, dims, strides, lower, upper, channels, pixels, steps,
                   swizzle, fill):
        """A tensor map for columns of pixels, as tiled_map() has for boxes."""
        raw = (ctypes.c_ubyte * 192)()
        place = ctypes.addressof(raw)
        place += -place % 64
        rank = len(dims)
        corner = ctypes.c_int * (rank - 2)
        error = self.lib.cuTensorMapEncodeIm2col(
            ctypes.c_void_p(place), kind, rank, address, (ctypes.c_uint64 * rank)(*dims),
            (ctypes.c_uint64 * (rank - 1))(*strides), corner(*lower), corner(*upper), channels,
            pixels, (ctypes.c_uint * rank)(*steps), 0, swizzle, 0, fill)
        return None if error else ctypes.string_at(place, 128)

    def run(self, text, arrays, threads, shared=0, maps=()):
        """Launches `k` with maps and then buffers of the arrays, which it changes."""
        function, module = self.load(text)
        buffers = [a if isinstance(a, ctypes.c_uint64) else self.buffer(a) for a in arrays]
        params = [(ctypes.c_ubyte * 128).from_buffer_copy(m) for m in maps] + buffers
        pointers = (ctypes.c_void_p * len(params))(*map(ctypes.addressof, params))
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, SHARED_BYTES, shared)
        self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, shared, None, pointers, None)
        error = self.lib.cuCtxSynchronize()
        for array, address in zip(arrays, buffers):
            if not isinstance(array, ctypes.c_uint64):
                self.fetch(address, array)
                self.call("cuMemFree_v2", address)
        self.call("cuModuleUnload", module)
        return error
