#!/usr/bin/env python
# -*- coding: Latin_1 -*-
# A file in Latin-1 says so, as to Python: café.
# RUN: tilec %s --stop-after=frontend -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


# CHECK: remark: naÃ¯ve
# CHECK: kernel @k
@triton.jit
def k(x: "*fp32"):
    tl.static_print("naïve")
    tl.store(x, 1.0)
