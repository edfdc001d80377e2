# The table of modules leads to no name if it is asked for a module that is no
# file of the program, or assigned one.
# RUN: mkdir %t.d && cp %s %t.d/main.py && printf "N = 1\n" > %t.d/shared.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
import shared
import sys

# CHECK: KEPT = 1
KEPT = 1
LOADED = [name for name in ["torch", "numpy"] if name in sys.modules]
module = sys.modules.get("torch.cuda")
VERSION = getattr(module, "version", None)
sys.modules["other"] = sys.modules["torch"]
# CHECK: SEEN = 1
SEEN = shared.N
sys.modules.get("shared").N = 2
# CHECK: NOW: unknown
NOW = shared.N
