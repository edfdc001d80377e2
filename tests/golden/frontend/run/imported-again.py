# A module runs once on each path: imports of one path are missing on another,
# and a module imported on only one of two paths is perhaps there.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "import shared\nshared.L.append(1)\nA = 1\nB = 2\n" > %t.d/once.py
# RUN: printf "L = []\n" > %t.d/shared.py
# RUN: printf "import shared\nshared.L.append(2)\nC = 3\n" > %t.d/perhaps.py
# RUN: printf "for i in range(30000): i += 1\nD = 4\n" > %t.d/long.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
import os
import shared
# CHECK: X = 1
# CHECK: Y = 2
try:
    int(os.environ["NOT_SET"])
    from once import A as X, B as Y
except Exception:
    from once import A as X, B as Y
# CHECK: N = 1
N = len(shared.L)
if os.environ.get("SET"):
    import perhaps
# CHECK: Z = 3
from perhaps import C as Z
# CHECK: M: unknown
M = len(shared.L)
# CHECK: T = 5
import long; T = long.D + 1
