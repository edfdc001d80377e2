# Kernels in functions that host code calls when it first needs them.
# RUN: tilec %s --kernel=double --signature="*fp32" -D BLOCK=16 --stop-after=frontend -o - | FileCheck %s
# RUN: tilec %s --kernel=_build.tuned --signature="*fp32" --stop-after=frontend -o - | FileCheck %s --check-prefix=TUNED
# RUN: tilec %s --kernel=launched --signature="*fp32" --stop-after=frontend -o - | FileCheck %s --check-prefix=LAUNCHED
# RUN: not tilec %s --kernel=scaled --signature="*fp32" -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: tilec %s --kernel=scaled --signature="*fp32" -D make.scale=3 --stop-after=frontend -o - | FileCheck %s --check-prefix=SCALED
# RUN: not tilec %s --kernel=same --signature="*fp32" -o - 2>&1 | FileCheck %s --check-prefix=SAME
# RUN: not tilec %s --kernel=shared --signature="*fp32" -o - 2>&1 | FileCheck %s --check-prefix=SHARED
# RUN: not tilec %s --kernel=early --signature="*fp32" -o - 2>&1 | FileCheck %s --check-prefix=EARLY
# RUN: tilec %s --kernel=inner --signature="*fp32" --stop-after=frontend -o - | FileCheck %s --check-prefix=INNER
# RUN: tilec %s --kernel=chosen --signature="*fp32" --stop-after=frontend -o - | FileCheck %s --check-prefix=CHOSEN
# RUN: not tilec %s --kernel=broken --signature="*fp32" -o - 2>&1 | FileCheck %s --check-prefix=BROKEN
# RUN: not tilec %s -o - 2>&1 | FileCheck %s --check-prefix=WHICH
# RUN: tilec %s --emit=reflect-json -o - | FileCheck %s --check-prefix=JSON

SIZE = 4


def _build():
    import triton
    import triton.language as tl

    SIZE = 8
    OFFSET = SIZE * 2

    @triton.jit
    def moved(x):
        return x + OFFSET

    # CHECK: kernel @_build.double(
    # CHECK: arange {end = 16, start = 0}
    # CHECK: constant {value = 32} : i32
    @triton.jit
    def double(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, moved(SIZE))

    # TUNED: kernel @_build.tuned(
    # TUNED-SAME: num_warps = 2
    # TUNED: arange {end = 16, start = 0}
    @triton.autotune([triton.Config({"BLOCK": OFFSET}, num_warps=2)], key=[])
    @triton.jit
    def tuned(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, 0.0)

    @triton.jit
    def same(x):
        tl.store(x, 1.0)

    SIZE = 16
    return double, tuned, same


def make(scale, *rest, other=2):
    import triton
    import triton.language as tl

    # UNKNOWN: error: 'make.scale' is computed by host code; give its value with -D
    # SCALED: constant {value = 3.0} : f32
    @triton.jit
    def scaled(x):
        tl.store(x, scale)

    @triton.jit
    def same(x):
        tl.store(x, 2.0)

    def further():
        @triton.jit
        def deep(x):
            tl.store(x, 2.0)

        return deep

    return scaled, same, further()


def choose(flag):
    import triton
    import triton.language as tl

    SIZE, SHARED, EARLY = 8, 3, 3
    PAIR = [(lambda: SIZE)() for _ in range(2)]

    def change():
        nonlocal SHARED
        SHARED = 9

    change()

    # SHARED: error: 'choose.SHARED' is computed by host code; give its value with -D
    @triton.jit
    def shared(x):
        tl.store(x, SHARED)

    # EARLY: error: 'choose.EARLY' is computed by host code; give its value with -D
    @triton.jit
    def early(x):
        tl.store(x, EARLY)

    # INNER: constant {value = 24} : i32
    # INNER: constant {value = 16} : i32
    @triton.heuristics({"BLOCK": lambda args: SIZE * 2})
    @triton.jit
    def inner(x, BLOCK: tl.constexpr):
        more = [SIZE + BLOCK + i for i in (0, 1)]
        tl.store(x, tl.full((), PAIR[1] + SIZE + more[0], tl.int32))

    # CHOSEN: constant {value = 1.0} : f32
    if (lambda: SIZE)() == 8:

        @triton.jit
        def chosen(x):
            tl.store(x, 1.0)

    else:

        @triton.jit
        def chosen(x):
            tl.store(x, 2.0)

    if flag:
        return early
    EARLY = 4
    LATE = 5
    return shared, inner, LATE
    SIZE = 16


class Layer:
    def forward(self, x):
        import triton
        import triton.language as tl

        # LAUNCHED: kernel @Layer.forward.launched(
        # LAUNCHED: constant {value = 4.0} : f32
        @triton.jit
        def launched(x):
            tl.store(x, SIZE)

        # BROKEN: :[[@LINE+3]]:27: error: expected ',' or ')', found the number 2
        @triton.jit
        def broken(x):
            tl.store(x, 1 2)

        launched[(1,)](x)


# SAME: error: no kernel 'same'; there are: _build.double, _build.tuned, _build.same, make.scaled, make.same, choose.shared, choose.early, choose.inner, choose.chosen, Layer.forward.launched, Layer.forward.broken, make.further.deep
# WHICH: error: which kernel? There are _build.double, _build.tuned, _build.same, make.scaled, make.same, choose.shared, choose.early, choose.inner, choose.chosen, Layer.forward.launched, Layer.forward.broken, make.further.deep
# JSON: "name": "_build.double"
# JSON: "name": "_build.tuned"
# JSON: "name": "Layer.forward.launched"
