# REQUIRES: tilec
# RUN: not tilec %s --kernel=hints --signature="*fp32, i32" --error-limit=60 -o /dev/null 2>&1 | FileCheck %s --strict-whitespace

# A misspelt name gets a hint if a known name is near, else none.
import math
import triton
import triton.language as tl


@triton.jit
def hints(x, n):
    v = tl.load(x + tl.arange(0, 16))
    # CHECK: error: 'cumsum' has no parameter 'rev'; did you mean 'reverse'?
    tl.cumsum(v, rev=True)
    # CHECK: error: 'sort' has no parameter 'rev'; did you mean 'descending'?
    tl.sort(v, rev=True)
    # CHECK: error: 'dtype' of 'zeros' wants a type, found function 'float'
    # CHECK: {{^ *}}tl.float32{{$}}
    tl.zeros([16], dtype=float)
    # CHECK: {{^ *}}tl.int32{{$}}
    v.to(int)
    # CHECK:      error: 'math.exp' of Python wants a constant number, found tile of fp32 [16]
    # CHECK:      {{^}}note: of run-time values, 'tl.exp' computes it
    math.exp(v)
    # CHECK:      {{^}}note: of run-time values, 'libdevice.tanh' computes it
    math.tanh(v)
    # CHECK:      error: 'eviction_policy' of 'load' wants one of 'evict_first', 'evict_last', '', found string 'evict_normal'
    # CHECK-NEXT: tl.load
    # CHECK-NEXT: ^
    # CHECK-NEXT: {{^ *}}""{{$}}
    tl.load(x, eviction_policy="evict_normal")
    # CHECK:      error: 'cache_modifier' of 'load' wants one of {{.*}}, '', found string '.cb'
    # CHECK-NEXT: tl.load
    # CHECK-NEXT: {{\^~~~~$}}
    # CHECK-NEXT: :[[#@LINE+1]]:
    tl.load(x, cache_modifier=".cb") + tl.load(x, cache_modifier=".CA")
    # CHECK-NEXT: tl.load
    # CHECK-NEXT: {{\^~~~~$}}
    # CHECK-NEXT: {{^ *}}".ca"{{$}}
    a = tl.zeros([16, 64], tl.float8e5)
    s = tl.zeros([16, 2], tl.uint8)
    # CHECK:      error: 'lhs_format' of 'dot_scaled' wants one of 'e2m1', 'e4m3', 'e5m2', 'bf16', 'fp16', found string 'e3m2'
    # CHECK-NEXT: tl.dot_scaled
    # CHECK-NEXT: {{\^~~~~~$}}
    # CHECK-NEXT: :[[#@LINE+1]]:
    tl.dot_scaled(a, s, "e3m2", a.T, s, "e5m2"), tl.load(x, foo=1)
    # CHECK:      :[[#@LINE+2]]:23: error: 'acc' of 'dot_scaled' wants a tile of fp32 [16, 16], found tile of fp16 [16, 16]
    tl.dot_scaled(a, s, "e5m2", a.T, s, "e5m2",
                  acc=tl.zeros([16, 16], tl.float16))
