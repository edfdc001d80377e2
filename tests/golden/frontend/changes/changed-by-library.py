# A list that a function of the library, or of a class of Python, may change is
# not told, though it is the only such call of the module.
# RUN: mkdir -p %t.d
# RUN: for call in 'operator.iadd(X, [2])' 'heappush(X, 2)' 'list.append(X, 2)' 'type(X).append(X, 2)'; do { cat %s; printf "\nX = [1]\n$call\n@triton.jit\ndef k(x: '*i32'): tl.static_print(X)\n"; } > %t.d/one.py; not tilec --emit=ir %t.d/one.py -o - 2>&1 | FileCheck %s || exit 1; done
# CHECK-NOT: remark
# CHECK: error: 'X' is computed by host code
import operator
from heapq import heappush

import triton
import triton.language as tl
