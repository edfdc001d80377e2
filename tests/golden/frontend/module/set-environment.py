# Variables of the environment count as unset, but not those that a line of the
# program sets; if a line may set any of them, none is known.
# RUN: not tilec %s -o - 2>&1 | FileCheck %s
# RUN: sed 's/^#1 //' %s > %t.py
# RUN: not tilec %t.py -o - 2>&1 | FileCheck %s --check-prefix=ANY
# A function of a file that is only imported may set any variable; lines that run
# when the file is imported count, and so do calls of the function.
# RUN: mkdir %t.d && printf "import os\ndef set_one(name):\n  os.environ[name] = '1'\n" > %t.d/sets.py
# RUN: printf "import os, sets\nimport triton\nimport triton.language as tl\n" > %t.d/main.py
# RUN: printf "@triton.jit\ndef k():\n  tl.static_print(MODE)\n" >> %t.d/main.py
# RUN: printf "SET = [v for v in os.environ.values()]\n" >> %t.d/main.py
# RUN: printf "MODE = 1 if os.environ.get('FAST') else 2\n" >> %t.d/main.py
# RUN: tilec %t.d/main.py -o - 2>&1 | FileCheck %s --check-prefix=BY-FUNCTION
# RUN: printf "import sets\nsets.set_one('FAST')\n" > %t.d/calls.py
# RUN: sed 's/import os, sets/import os, calls/' %t.d/main.py > %t.d/called.py
# RUN: not tilec %t.d/called.py -o - 2>&1 | FileCheck %s --check-prefix=BY-CALL
# RUN: sed -i s/FAST/SLOW/ %t.d/calls.py
# RUN: tilec %t.d/called.py -o - 2>&1 | FileCheck %s --check-prefix=BY-FUNCTION
# With a value of -D, too, although the values of the run do not count then.
# RUN: printf "def set_second(of, name): os.environ[name] = '1'\n" >> %t.d/sets.py
# RUN: printf "import sets\nsets.set_second(1, 'FAST')\n" > %t.d/calls.py
# RUN: sed -i 's/def k()/def k(N: tl.constexpr)/' %t.d/called.py
# RUN: not tilec %t.d/called.py -D N=1 -o - 2>&1 | FileCheck %s --check-prefix=BY-CALL
# RUN: printf "for name in os.sys.argv: os.environ[name] = '1'\n" >> %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck %s --check-prefix=BY-LINE
# BY-FUNCTION: remark: 2
# BY-CALL: error: 'os.environ' is computed by host code
# BY-LINE: error: 'os.environ.get' of Python's library is host code
import os

import triton
import triton.language as tl

HAD = "ITEM" in os.environ
os.environ["ITEM"] = "1"
os.environ.setdefault("DEFAULT", "1")
os.environ.update({"KEY": "1"}, NAME="1")


def later():
    os.environ["LATER"] = "1"


environment = dict(os.environ, PLAIN="2")
PLAIN = os.environ.get("PLAIN", "unset")
OTHER = "OTHER" in os.environ
ITEM = os.environ.get("ITEM", "0")
DEFAULT = os.getenv("DEFAULT", "0")
KEY = os.environ.get("KEY") == "1"
NAME = os.environ["NAME"]
LATER = 1
if os.getenv("LATER"):
    LATER = 2
#1 alias = os.environ


@triton.jit
def k():
    # CHECK-NOT: error
    tl.static_print(PLAIN, OTHER)
    # CHECK: remark: unset False
    # ANY: error: 'os.environ' is computed by host code
    tl.static_print(HAD)
    # CHECK: error: 'ITEM' is computed by host code
    tl.static_print(ITEM)
    # CHECK: error: 'os.environ' is computed by host code
    tl.static_print(DEFAULT)
    # CHECK: error: 'DEFAULT' is computed by host code
    tl.static_print(KEY)
    # CHECK: error: {{.*}}'os.environ'
    tl.static_print(NAME)
    # CHECK: error: 'os.environ' is computed by host code
    tl.static_print(LATER)
    # CHECK: error: 'LATER' is computed by host code
