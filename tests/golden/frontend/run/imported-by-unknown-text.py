# importlib.import_module() of an unknown name may return the module itself,
# under any name of the function.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import importlib, os
# CHECK: BOUND: unknown
BOUND = 1
load = importlib.import_module if os.environ.get("SET") else print
load(__name__).BOUND = 2
