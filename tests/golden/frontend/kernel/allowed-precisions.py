# "allowed_dot_input_precisions" of a configuration: without tf32 products of fp32
# are exact unless told, also with allow_tf32=True, and others are refused.  What
# "default_dot_input_precision" says changes nothing, in Triton neither.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --kernel=k --config=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --kernel=k --config=2 --stop-after=frontend -o - | FileCheck %s --check-prefix=TF32
# RUN: tilec %s --kernel=k --config=3 --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefixes=IDLE,TF32
# RUN: tilec %s --kernel=k --config=4 --stop-after=frontend -o - | FileCheck %s --check-prefix=TF32
# RUN: not tilec %s --kernel=k --config=5 -o - 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=error:
# RUN: not tilec %s --kernel=three --config=0 -o - 2>&1 | FileCheck %s --check-prefix=THREE --implicit-check-not=error:
# RUN: tilec %s --kernel=three --config=1 --stop-after=frontend -o - | FileCheck %s --check-prefix=TAKEN
import triton
import triton.language as tl
from triton import Config


# EXACT-NOT: warning
# EXACT-COUNT-2: dot {{.*}}precision = ieee
@triton.autotune([
    Config({"allowed_dot_input_precisions": ("ieee", "tf32x3")}),
    Config({"allowed_dot_input_precisions": ["ieee"]}),
    Config({"allowed_dot_input_precisions": ("ieee", "tf32")}),
    # IDLE: [[@LINE+1]]:13: warning: 'default_dot_input_precision' of this configuration changes nothing here
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
