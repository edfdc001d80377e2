# Assertions are compiled in if `debug` asks for it, of the kernel that is
# launched: a configuration overrides the decorator, the command line both.
# RUN: tilec %s --kernel=plain --stop-after=frontend -o - | FileCheck %s --check-prefix=OFF
# RUN: tilec %s --kernel=plain --debug --stop-after=frontend -o - | FileCheck %s --check-prefix=ON
# RUN: tilec %s --kernel=plain -D N=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=OFF
# RUN: tilec %s --kernel=marked --stop-after=frontend -o - | FileCheck %s --check-prefix=ON
# RUN: tilec %s --kernel=called --stop-after=frontend -o - | FileCheck %s --check-prefix=ON
# RUN: tilec %s --kernel=tuned --stop-after=frontend -o - | FileCheck %s --check-prefix=OFF
# RUN: tilec %s --kernel=tuned --config=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=ON
# RUN: tilec %s --kernel=computed --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefixes=COMPUTED,OFF
import os

import triton
import triton.language as tl

CHECKS = not None


# OFF-NOT: device_assert
# ON-COUNT-2: device_assert
# ON-NOT: device_assert
@triton.jit(debug=True)
def check(n):
    tl.device_assert(n > 0, "not positive")
    assert n < 9


@triton.jit
def plain(n: tl.int32, N: tl.constexpr = 4):
    tl.static_assert(N < 5)
    check(n)


@triton.jit(debug=CHECKS)
def marked(n: tl.int32):
    check(n)


def body(n: tl.int32):
    check(n)


called = triton.jit(body, debug=True)


@triton.autotune([triton.Config({"debug": False}), triton.Config({"debug": True})], key=[])
@triton.jit(debug=True)
def tuned(n: tl.int32):
    check(n)


# COMPUTED: [[@LINE+1]]:19: warning: host code computes 'debug': it is taken for False
@triton.jit(debug=os.path.exists("debug"))
def computed(n: tl.int32):
    check(n)
