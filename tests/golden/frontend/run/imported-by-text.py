# importlib.import_module() of a known name imports that module; with an unknown
# name, any name of any module may be bound.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "SIZES = [16]\nWIDTH = 64\n" > %t.d/shared.py
# RUN: printf "import shared\nshared.SIZES.append(32)\n" > %t.d/grows.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
import importlib
from importlib import import_module as load

# CHECK: KEPT = 1
KEPT = 1
shared = importlib.import_module("shared")
# CHECK: WIDTH = 64
WIDTH = shared.WIDTH
# CHECK: BEFORE = 1
BEFORE = len(shared.SIZES)
load("grows")
# CHECK: AFTER = 2
AFTER = len(shared.SIZES)
