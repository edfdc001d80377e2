# Effects of long files that are only imported, and not run, make the names of
# these files unknown, not those of the main file.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "import sys\nimport opaque\nX = 1\n" > %t.d/long.py
# RUN: printf "@opaque.register\ndef f():\n  global X\n  X = 2\n" >> %t.d/long.py
# RUN: printf "Y = X\nsys.modules[opaque.NAME].N = 4\n" >> %t.d/long.py
# RUN: head -c 20000 /dev/zero | tr '\0' '#' >> %t.d/long.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
# CHECK: N = 3
N = 3
# CHECK-NOT: {{^[A-Z] = }}
import long
Y = long.Y
X = long.X
# CHECK: M = 4
M = N + 1
