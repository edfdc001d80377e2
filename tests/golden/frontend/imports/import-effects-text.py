# Names of other files that are bound by their text, or by files that have the
# file under another name.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: tilec %s --kernel=uncalled --stop-after=frontend -o - 2>&1 | FileCheck %s
# RUN: tilec %s --kernel=made --stop-after=frontend -o - 2>&1 | FileCheck %s --check-prefix=MADE
import triton
import triton.language as tl

import import_effects_text as text
import import_effects_table as table
import import_effects_writers


# KNOWN: constant {value = 1} : i32
# KNOWN: constant {value = 1} : i32
@triton.jit
def known(x: "*i32"):
    tl.store(x, text.KEPT)
    tl.store(x, text.READ)


# A function in a file that is only imported binds these names, and no line
# calls the function.
# CHECK-NOT: error:
# CHECK-COUNT-9: constant {value = 1} : i32
@triton.jit
def uncalled(x: "*i32"):
    tl.store(x, text.BY_VARS)
    tl.store(x, text.BY_DICT)
    tl.store(x, text.BY_UPDATE)
    tl.store(x, text.BY_MODULES)
    tl.store(x, text.BY_IMPORT)
    tl.store(x, text.BY_CODE)
    tl.store(x, text.BY_GETATTR[0])
    tl.store(x, text.BY_ARGUMENT)
    tl.store(x, text.BY_LOOP)


# MADE: constant {value = 1} : i32
@triton.jit
def made(x: "*i32"):
    tl.store(x, table.ANY)
