# REQUIRES: tilec
# RUN: tilec --emit=ast -o - %s | FileCheck %s

# Host code around kernels is skipped, whatever it contains, and kernels are
# found in classes and conditions.

from __future__ import annotations
import torch, triton
from typing import (Any,
                    Optional)


class Größe(torch.autograd.Function, metaclass=type):
    @staticmethod
    def forward(ctx, q: Optional[torch.Tensor], /, *args: Any, **kw) -> None:
        grid = lambda meta: (triton.cdiv(q.shape[0], meta["B"]), 1)
        text = f"{q.shape!r:>{len(args)}} {'nested' if (n := 3) > 2 else ""}"
        match q:
            case [1, *_] if n: print(f'{n=}', rb'\x', """'''""")
            case {"a": x, **rest} | None: ...
        return await_ if not q else [*args, *(a for a in kw if a)]

    # CHECK: function@{{[0-9]+}}:9 Größe.helper
    # CHECK-NEXT: decorator staticmethod staticmethod
    # CHECK-NEXT: decorator jit triton.jit
    # CHECK-NEXT: param x
    # CHECK-NEXT: return@{{[0-9]+}}:9 (* x 2)
    @staticmethod
    @triton.jit
    def helper(x):
        return x * 2


async def run():
    async with a as b, c:
        async for x in y: yield await z
    @triton.jit
    def not_at_module_level(): pass

if torch.cuda.is_initialized():
    # CHECK: function@{{[0-9]+}}:9 fast
    @triton.jit
    def fast(x): return x
else:
    try:
        # CHECK: function@{{[0-9]+}}:13 slow
        @triton.jit(do_not_specialize=["x"])
        def slow(x): return x
    except (ImportError, *errors) as e: raise SystemExit(1) from e
    finally: del x

x: int = 0x_ff if 1_000.5e-3 < 1j else ~-+(yield)
print(*x, sep='', file=(lambda: None)()) ; assert x @ y
not valid python ? $ at all = = 012
# CHECK-NOT: function
