# café €
# vim: set fileencoding=cp1252 :
# Columns are those of the file, in the encoding that it names.
# RUN: tilec %s --kernel=k --stop-after=frontend -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=wrong -o - 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: not tilec %s --kernel=wrong -o - --diagnostics-format=json 2>&1 | FileCheck %s --check-prefix=JSON
import triton
import triton.language as tl


# CHECK: kernel @k
@triton.jit
def k(x: "*i32"):
    tl.static_assert("€".replace("€", "œ") == "œ")
    tl.store(x, 1)


@triton.jit
def wrong(x: "*i32"):
    "€€Œ"; tl.store(x, nothing)
    # WRONG: [[#@LINE-1]]:24: error: unknown name 'nothing'
    # JSON: "column": 24, "span": 7
