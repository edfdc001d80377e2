# Exceptions of Python's have more attributes than the program says.
# RUN: tilec --emit=module %s -o - | FileCheck %s
# CHECK: CAUGHT: unknown
try:
    raise ValueError("x").with_traceback(None)
except ValueError:
    CAUGHT = 1
except AttributeError:
    CAUGHT = 2
