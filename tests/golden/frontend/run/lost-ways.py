# A statement that is not parsed may go by a frame to any name of the module.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import inspect
# CHECK-DAG: FRAMED: unknown
FRAMED = 1
try:
    raise ValueError
except* ValueError:
    inspect.currentframe().f_globals["FRAMED"] = 2
