# Names of another module, bound by their text.
# RUN: tilec --emit=module %s -o - | FileCheck %s
# RUN: sed 's/^#1 //' %s > %t.py
# RUN: tilec -I %S --emit=module %t.py -o - | FileCheck %s --check-prefix=ANY
import names_of_others

names_of_others.__dict__["N"] = 2
vars(names_of_others)["M"] = 3
#1 names_of_others.known.__globals__["N"] = 7

# The names among them that a function binds are not followed.
# CHECK-DAG: N = 2
# CHECK-DAG: M = 3
# ANY-DAG: N: unknown
# ANY-DAG: M: unknown
from names_of_others import N, M
