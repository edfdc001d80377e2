# Names in a dictionary are not part of the call's text: there is no fix to show.
# RUN: not tilec %s -o /dev/null 2>&1 | FileCheck %s --strict-whitespace
import triton
import triton.language as tl

options = {"mas": None}


@triton.jit
def k(p: "*i32"):
    tl.load(p, **options)
    tl.load(p, mas=None)


# CHECK:11:18: error: 'load' has no parameter 'mas'; did you mean 'mask'?
# CHECK-NEXT:{{^}}      tl.load(p, **options)
# CHECK-NEXT:{{^}}                   ^~~~~~~{{$}}
# CHECK-NEXT:12:16: error: 'load' has no parameter 'mas'; did you mean 'mask'?
# CHECK-NEXT:{{^}}      tl.load(p, mas=None)
# CHECK-NEXT:{{^}}                 ^~~~~~~~{{$}}
# CHECK-NEXT:{{^}}                 mask{{$}}
