# A package that imports its own module by name, before its end, runs that module first.
# RUN: mkdir -p %t.d/own && cp %s %t.d/main.py
# RUN: printf "DEPTH = 4\nSIZES = [1]\nROWS = 2\n" > %t.d/own/config.py
# RUN: cp %t.d/own/config.py %t.d/own/other.py
# RUN: printf "from . import config\nconfig.DEPTH = 16\nconfig.SIZES.append(2)\n" > %t.d/own/__init__.py
# RUN: printf "import os\nif os.environ.get('SET'):\n    other = os\n" >> %t.d/own/__init__.py
# RUN: printf "from own import other as which\nwhich.ROWS = 3\n" >> %t.d/own/__init__.py
# RUN: tilec --emit=module %t.d/main.py -o - | FileCheck %s
# CHECK: DEPTH = 16
# CHECK: SIZES = [1, 2]
# CHECK: ROWS: unknown
from own.config import DEPTH, SIZES
from own.other import ROWS
