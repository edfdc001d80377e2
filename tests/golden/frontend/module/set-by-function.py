# If a function of another file sets the variable of the environment that its
# first argument names, the variables are those that its calls name.  If not all
# its calls are seen, or it sets another one, no variable is known.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "import os\nSIZE = 4\ndef need(name, value='1'):\n  def inner():\n" > %t.d/sets.py
# RUN: printf "    if name not in os.environ: os.environ[name] = value\n" >> %t.d/sets.py
# RUN: printf "  return inner\nneed('FAST')()\n" >> %t.d/sets.py
# RUN: printf "from sets import need\nneed('LATE', '2')()\n" > %t.d/calls.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck %s
# RUN: cp %t.d/sets.py %t.d/kept.py; printf "other = need\n" >> %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: cp %t.d/kept.py %t.d/sets.py; printf "for n in 'AB': need(n)\n" >> %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: cp %t.d/kept.py %t.d/sets.py; printf "exec('need(\"SLOW\")()')\n" >> %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: cp %t.d/kept.py %t.d/sets.py; printf "print(f'{need(\"SLOW\")}')\n" >> %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: sed "s/^  def inner/  name = name.upper()\n  def inner/" %t.d/kept.py > %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: sed "s/def inner()/def inner(name='A')/" %t.d/kept.py > %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: sed "s/def need(name, /def need(of, name, /" %t.d/kept.py > %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: sed "s/^def need/@print\ndef need/" %t.d/kept.py > %t.d/sets.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
# RUN: sed "s/import need/import need as want/" %t.d/calls.py > %t.d/aliased.py
# RUN: cp %t.d/kept.py %t.d/sets.py; mv %t.d/aliased.py %t.d/calls.py
# RUN: not tilec %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=ANY %s
import os

import calls
import sets
import triton
import triton.language as tl

SLOW = LATE = FAST = 1
if sets.SIZE == 4 and os.environ.get("SLOW"):
    SLOW = 2
if os.environ.get("FAST"):
    FAST = 2
if os.environ.get("LATE"):
    LATE = 2


@triton.jit
def k():
    # ANY: error: 'SLOW' is computed by host code
    tl.static_print(SLOW)
    # CHECK: error: 'FAST' is computed by host code
    tl.static_print(FAST)
    # CHECK: error: 'LATE' is computed by host code
    tl.static_print(LATE)
    # CHECK: remark: 1
    tl.static_print(SLOW)
