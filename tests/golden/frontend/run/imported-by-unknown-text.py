# importlib.import_module() of a name that is not known may give the module itself,
# whatever name the function has.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import importlib, os
# CHECK: BOUND: unknown
BOUND = 1
load = importlib.import_module if os.environ.get("SET") else print
load(__name__).BOUND = 2
