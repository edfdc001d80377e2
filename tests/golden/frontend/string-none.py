# A method of a string wants strings: None is none, and neither is a number.
# RUN: not tilec %s -o - 2>&1 | FileCheck %s
@jit
def k(p: *i32):
    # CHECK: [[#@LINE+1]]:32: error: {{.*}} wants constant strings, found None
    tl.store(p, "a".startswith(None))
    # CHECK: [[#@LINE+1]]:30: error: {{.*}} wants constant strings, found None
    tl.store(p, "a".endswith(None))
    # CHECK: [[#@LINE+1]]:29: error: {{.*}} wants constant strings, found None
    tl.store(p, "a".replace(None, "b") == "b")
    # CHECK: [[#@LINE+1]]:31: error: {{.*}} wants constant strings, found constant 3
    tl.store(p, len("a".split(3)))
