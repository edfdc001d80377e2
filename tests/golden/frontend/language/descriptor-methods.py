# REQUIRES: tilec
# RUN: tilec run %s --device=cpu --kernel=use --grid=1 \
# RUN:   --arg x=arange:fp32[10x40] --arg y=zeros:bf16[4] | FileCheck %s

# Descriptors as pointers and masks; and sums of bf16 in memory.

import triton
import triton.language as tl


@triton.jit
def use(x, y):
    d = tl.make_tensor_descriptor(x, [10, 40], [40, 1], [4, 16])
    d.atomic_add([8, 32], tl.full([4, 16], 1.0, tl.float32))
    at = tl.arange(0, 4)[:, None] * 40 + tl.arange(0, 16)[None, :]
    tl.atomic_max(x + at, tl.full([4, 16], 5.0, tl.float32))
    tl.debug_barrier()
    # 0 + ... + 399, 1 for each of 2 * 8 elements, and 5 + 4 + ... + 1.
    # CHECK: sum: 79831
    i = tl.arange(0, 512)
    tl.device_print("sum", tl.sum(tl.load(x + i, mask=i < 400)))
    g = tl.make_tensor_descriptor(x, [10, 40], [40, 1], [1, 16], padding_option="nan")
    rows = g.gather(tl.arange(0, 8) * 6, 30)
    # Columns 30 to 39 of the rows 0 and 6.
    # CHECK: inside: 20
    # CHECK: total: 3090
    inside = rows == rows
    tl.device_print("inside", tl.sum(inside.to(tl.int32)))
    tl.device_print("total", tl.sum(tl.where(inside, rows, 0.0)))
    g.scatter(tl.full([8, 16], -1.0, tl.float32), 8 + tl.arange(0, 8), 39)
    tl.debug_barrier()
    # CHECK: scattered: -2
    tl.device_print("scattered", tl.load(x + 8 * 40 + 39) + tl.load(x + 9 * 40 + 39))
    tl.atomic_add(y + tl.arange(0, 64) % 4, tl.full([64], 1.0, tl.bfloat16))
    tl.debug_barrier()
    # CHECK: half: 16
    tl.device_print("half", tl.load(y + 3).to(tl.float32))
