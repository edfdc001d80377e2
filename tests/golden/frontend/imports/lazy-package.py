# The beginning of a module's name is no module, and a module of the package is
# the file that others import: the package is read once, under any path.
# REQUIRES: tilec
# RUN: tilec %S/lazy/kern.py --kernel=plain --emit=ir -o - | FileCheck %s
# RUN: not tilec %S/lazy/kern.py --kernel=wide --emit=ir -o - 2>&1 | FileCheck %s --check-prefix=WIDE
# CHECK: kernel @plain
# WIDE: kern.py:17:22: error: 'WIDTH' is computed by host code
# WIDE: __init__.py:6:9: note: host code may set it here
