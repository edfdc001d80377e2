# Names of other files that are bound by their text, or by those who have the
# file under another name, have no value that is known.
# RUN: tilec %s --kernel=known --stop-after=frontend -o - | FileCheck %s --check-prefix=KNOWN
# RUN: not tilec %s --kernel=unknown -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=made -o - 2>&1 | FileCheck %s --check-prefix=MADE
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


# CHECK: [[@LINE+11]]:22: error: 'BY_VARS' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_DICT' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_UPDATE' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_MODULES' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_IMPORT' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_CODE' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_GETATTR' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_ARGUMENT' is computed by host code
# CHECK: [[@LINE+11]]:22: error: 'BY_LOOP' is computed by host code
@triton.jit
def unknown(x: "*i32"):
    tl.store(x, text.BY_VARS)
    tl.store(x, text.BY_DICT)
    tl.store(x, text.BY_UPDATE)
    tl.store(x, text.BY_MODULES)
    tl.store(x, text.BY_IMPORT)
    tl.store(x, text.BY_CODE)
    tl.store(x, text.BY_GETATTR[0])
    tl.store(x, text.BY_ARGUMENT)
    tl.store(x, text.BY_LOOP)


# MADE: [[@LINE+3]]:23: error: 'ANY' is computed by host code
@triton.jit
def made(x: "*i32"):
    tl.store(x, table.ANY)
