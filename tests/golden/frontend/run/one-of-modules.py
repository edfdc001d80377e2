# A module without a file leads to names as before, if the name is one of several modules.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import os
import sys

# CHECK: FIRST: unknown
FIRST = 1
(sys if os.environ.get("SET") else os).modules[__name__].FIRST = 2
# CHECK: SECOND: unknown
SECOND = 1
table = sys.modules if os.environ.get("SET") else {}
table[__name__].SECOND = 2
# CHECK: THIRD: unknown
THIRD = 1
getattr(sys, "modules", None)[__name__].THIRD = 2
