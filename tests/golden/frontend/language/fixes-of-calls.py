# REQUIRES: tilec
# RUN: not tilec %s --kernel=calls --signature="*fp32, i32" --error-limit=60 --diagnostics-format=json -o /dev/null 2>&1 | FileCheck %s

# The text that replaces a called attribute replaces the call's brackets, too,
# if the attribute is no function.
import triton
import triton.language as tl


@triton.jit
def calls(p, n):
    x = tl.load(p + tl.arange(0, 16))
    # CHECK: did you mean 'to(tl.float32)'?", "fix": {"line": [[#@LINE+1]], "column": 7, "span": 7, "text": "to(tl.float32)"}
    x.float()
    # CHECK: "fix": {"line": [[#@LINE+1]], "column": 19, "span": 6, "text": "to(tl.float16)"}
    tl.store(p, n.half() + 1)
    # CHECK: "fix": {"line": [[#@LINE+1]], "column": 7, "span": 5, "text": "to(tl.float32)"}
    x.float
    # CHECK: did you mean 'to(tl.int32)'?"}
    x.int(3)
    # CHECK: "span": 5, "text": "ndim"}
    x.dim()
    # CHECK: "span": 6, "text": "shape"}
    x.size()
    # CHECK: "span": 7, "text": "shape[0]"}
    x.size(0)
    # CHECK: "span": 4, "text": "numel"}
    x.size
    # CHECK: "span": 10, "text": "to(x.dtype)"}
    n.type_as(x)
    # CHECK: "span": 7, "text": "itemsize"}
    x.dtype.itemsiz
    # CHECK: "span": 9, "text": "itemsize"}
    x.dtype.itemsiz()
    # CHECK: "span": 10, "text": "is_floating"}
    x.dtype.is_floatin()
    # CHECK: "span": 15, "text": "trans()"}
    x[:, None].transpose(0, 1)
    # CHECK: has no attribute 'transpose'"}
    x.transpose(0, 1)
    # CHECK: 'type' is type fp32 [16] and is not called; did you mean 'to'?", "fix": {"line": [[#@LINE+1]], "column": 7, "span": 4, "text": "to"}
    x.type(tl.float16)
    # CHECK: 'dtype' is type fp32 and is not called; did you mean 'to'?", "fix": {{.*}} "span": 5, "text": "to"}
    x.dtype(tl.float16)
    # CHECK: 'numel' is constant 16 and is not called: it is written without brackets"}
    (x + x * x + x * x * x + x * x * x * x + x * x * x * x * x + x * x * 2).numel()
    # CHECK: did you mean 'atomic_add'?"}
    tl.atomic_sub(p, 1)
    # CHECK: did you mean 'trans'?"}
    tl.transpose(x, 0, 1)
    # CHECK: has no attribute 'mean'
    # CHECK-NEXT: the mean is 'tl.sum(x, axis)' divided
    x.mean()
