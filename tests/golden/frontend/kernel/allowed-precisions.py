# "allowed_dot_input_precisions" of a configuration: without tf32, products of
# fp32 are exact by default, also with allow_tf32=True, and other precisions are
# refused. "default_dot_input_precision" is the meaning of input_precision=None,
# tf32 by default, and changes nothing if the precision is left out.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --kernel=k --config=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --kernel=k --config=2 --stop-after=frontend -o - | FileCheck %s --check-prefix=TF32
# RUN: tilec %s --kernel=k --config=3 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=TF32 --implicit-check-not=warning
# RUN: tilec %s --kernel=k --config=4 --stop-after=frontend -o - | FileCheck %s --check-prefix=TF32
# RUN: not tilec %s --kernel=k --config=5 -o - 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=error:
# RUN: not tilec %s --kernel=three --config=0 -o - 2>&1 | FileCheck %s --check-prefix=THREE --implicit-check-not=error:
# RUN: tilec %s --kernel=three --config=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=TAKEN
# RUN: tilec %s --kernel=none --config=0 --stop-after=frontend -o - | FileCheck %s --check-prefix=DEFAULT
# RUN: tilec %s --kernel=none --config=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
# RUN: not tilec %s --kernel=none --config=2 -o - 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
# RUN: tilec %s --kernel=none --config=3 --stop-after=frontend -o - | FileCheck %s --check-prefix=GIVEN
import triton
import triton.language as tl
from triton import Config


# EXACT-NOT: warning
# EXACT-COUNT-2: dot {{.*}}precision = ieee
@triton.autotune([
    Config({"allowed_dot_input_precisions": ("ieee", "tf32x3")}),
    Config({"allowed_dot_input_precisions": ["ieee"]}),
    Config({"allowed_dot_input_precisions": ("ieee", "tf32")}),
    Config({"default_dot_input_precision": "ieee"}),
    # TF32-COUNT-2: dot {{%[a-z0-9_]+, %[a-z0-9_]+, %[a-z0-9_]+}} :
    Config({"allowed_dot_input_precisions": None}),
    Config({"allowed_dot_input_precisions": ("tf32x3",)}),
], key=[])
@triton.jit
def k(x: "*fp32"):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    # NONE: [[@LINE+1]]:9: error: 'dot' multiplies by 'ieee', but the configuration allows ('tf32x3',)
    b = tl.dot(a, a)
    # NONE: [[@LINE+1]]:9: error: 'dot' multiplies by 'ieee'
    c = tl.dot(a, a, allow_tf32=True)
    tl.store(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], b + c)


# TAKEN: dot {{.*}}precision = tf32x3
@triton.autotune([
    Config({"allowed_dot_input_precisions": ("ieee", "tf32")}),
    Config({"allowed_dot_input_precisions": {"tf32x3"}}),
], key=[])
@triton.jit
def three(x: "*fp32"):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    # THREE: [[@LINE+1]]:9: error: 'dot' multiplies by 'tf32x3', but the configuration allows ('ieee', 'tf32')
    a = tl.dot(a, a, input_precision="TF32x3")
    tl.store(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], a)


# DEFAULT: dot {{%[a-z0-9_]+, %[a-z0-9_]+, %[a-z0-9_]+}} :
# GIVEN: dot {{.*}}precision = ieee
@triton.autotune([
    Config({}),
    Config({"default_dot_input_precision": "ieee"}),
    Config({"allowed_dot_input_precisions": ("ieee",)}),
    Config({"allowed_dot_input_precisions": ("ieee",), "default_dot_input_precision": "ieee"}),
], key=[])
@triton.jit
def none(x: "*fp32"):
    a = tl.load(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    # REFUSED: [[@LINE+1]]:9: error: 'dot' multiplies by 'tf32', but the configuration allows ('ieee',)
    a = tl.dot(a, a, input_precision=None)
    # DEFAULT: dot {{.*}}precision = ieee
    # GIVEN: dot {{.*}}precision = ieee
    a = tl.dot(a, a, input_precision=None, allow_tf32=False)
    tl.store(x + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], a)
