# With this import no annotation is evaluated.
# RUN: tilec --emit=module %s -o - | FileCheck %s
from __future__ import annotations

SEEN = []
a: SEEN.append(1) = 1
def f(x: SEEN.append(2), y: absent) -> SEEN.append(3): return x
# CHECK: COUNT = 0
COUNT = len(SEEN)
