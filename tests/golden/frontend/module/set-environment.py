# Variables of the environment count as unset, but not those that a line of the
# program sets; if a line may set any of them, none is known.
# RUN: not tilec %s -o - 2>&1 | FileCheck %s
# RUN: sed 's/^#1 //' %s > %t.py
# RUN: not tilec %t.py -o - 2>&1 | FileCheck %s --check-prefix=ANY
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
