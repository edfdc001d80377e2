# Exceptions of Python have more attributes than the program shows.
# RUN: tilec --emit=module %s -o - | FileCheck %s
# CHECK: CAUGHT: unknown
try:
    raise ValueError("x").with_traceback(None)
except ValueError:
    CAUGHT = 1
except AttributeError:
    CAUGHT = 2
