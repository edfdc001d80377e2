# A statement that is not parsed may change any name of the module through a frame.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import inspect
# CHECK-DAG: FRAMED: unknown
FRAMED = 1
try:
    raise ValueError
except* ValueError:
    inspect.currentframe().f_globals["FRAMED"] = 2
