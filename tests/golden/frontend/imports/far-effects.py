# Files that an import leads to are followed up to a number of bytes: effects of
# later files on a third file are not seen. A kernel does not read a whole package.
# RUN: mkdir %t.d && cp %s %t.d/main.py && echo "WIDTH = 1" > %t.d/values.py
# RUN: printf "import values\nvalues.WIDTH = 2\n" > %t.d/near.py
# RUN: echo "import near" > %t.d/far.py
# RUN: tilec %t.d/main.py --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=NEAR
# RUN: mkdir %t.e && cp %s %t.e/main.py && cp %t.d/values.py %t.d/near.py %t.e
# RUN: (echo "import near" && head -c 3200000 /dev/zero | tr "\0" "#") > %t.e/far.py
# RUN: tilec %t.e/main.py --stop-after=frontend -o - | FileCheck %s --check-prefix=FAR
import triton
import triton.language as tl

import far
import values


# NEAR: constant {value = 2} : i32
# FAR: constant {value = 1} : i32
@triton.jit
def kernel(x: "*i32"):
    tl.store(x, values.WIDTH)
