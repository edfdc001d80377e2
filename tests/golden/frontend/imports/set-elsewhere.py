# A file that is only imported binds names of another file: then a kernel does
# not use the lines of that file, for a value, a function, a class's member or a
# module; names that are not bound again keep their meaning.
# RUN: mkdir %t.d && cp %s %t.d/main.py
# RUN: printf "import triton, depth\n@triton.jit\ndef one(x): return x + 1\n" > %t.d/config.py
# RUN: printf "@triton.jit\ndef two(x): return x + 2\n" >> %t.d/config.py
# RUN: printf "@triton.jit\ndef inner(x): return one(x)\n" >> %t.d/config.py
# RUN: printf "class Sizes:\n  ROWS = 8\n  COLUMNS = 9\n" >> %t.d/config.py
# RUN: printf "class Box: pass\nbox = Box()\nTABLE = {'a': 1}\n" >> %t.d/config.py
# RUN: printf "WIDTH = 16\nHEIGHT = 32\nSIZES = [1]\nMODE = 1\n" >> %t.d/config.py
# RUN: echo "V = 1" > %t.d/depth.py; echo "V = 2" > %t.d/deeper.py
# RUN: printf "import config, deeper, opaque\nconfig.one = config.two\n" > %t.d/changes.py
# RUN: printf "config.Sizes.ROWS = 5\nconfig.depth = deeper\nconfig.box.n = 3\n" >> %t.d/changes.py
# RUN: printf "config.SIZES[opaque.value] = 7\nconfig.TABLE[opaque.key] = 7\n" >> %t.d/changes.py
# RUN: printf "match opaque.value:\n  case 1: config.WIDTH = 4\n" >> %t.d/changes.py
# RUN: printf "exec('config.MODE = 3')\n" >> %t.d/changes.py
# RUN: printf "import triton\nMORE = [1]\nQUEUE = [1]\n@triton.jit\ndef four(x): return x + 4\n" > %t.d/other.py
# RUN: printf "@triton.jit\ndef five(x): return x + 5\n@triton.jit\ndef six(x): return x + 6\n" >> %t.d/other.py
# RUN: printf "import heapq, other\nlist.append(other.MORE, 7)\nheapq.heappush(other.QUEUE, 0)\n" >> %t.d/changes.py
# RUN: printf "other.__dict__.update(four=other.five)\n" >> %t.d/changes.py
# RUN: printf "match opaque.value:\n  case 1: setattr(other, 'six', None)\n" >> %t.d/changes.py
# RUN: not tilec --emit=ir --error-limit=40 --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: tilec --emit=ir --kernel=kept %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=KEPT %s
import triton
import triton.language as tl

import changes
import config
import other
from config import Sizes, box, depth, inner, one


@triton.jit
def changed(x: "*i32"):
    # CHECK: error: 'one' is computed by host code
    tl.store(x, config.one(1))
    # CHECK: error: 'one' is computed by host code
    tl.store(x, one(1))
    # CHECK: error: 'one' is computed by host code
    tl.store(x, inner(1))
    # CHECK: error: 'Sizes.ROWS' is computed by host code
    tl.store(x, Sizes.ROWS)
    # CHECK: error: 'Sizes.ROWS' is computed by host code
    tl.store(x, config.Sizes.ROWS)
    # CHECK: error: 'depth' is computed by host code
    tl.store(x, depth.V)
    # CHECK: error: 'TABLE' is computed by host code
    tl.store(x, config.TABLE["a"])
    # CHECK: error: 'SIZES' is computed by host code
    tl.store(x, config.SIZES[0])
    # CHECK: error: 'WIDTH' is computed by host code
    tl.store(x, config.WIDTH)
    # CHECK: error: 'MODE' is computed by host code
    tl.store(x, config.MODE)
    # CHECK: error: 'MORE' is computed by host code
    tl.store(x, len(other.MORE))
    # CHECK: error: 'QUEUE' is computed by host code
    tl.store(x, other.QUEUE[0])
    # CHECK: error: 'four' is computed by host code
    tl.store(x, other.four(1))
    # CHECK: error: 'six' is computed by host code
    tl.store(x, other.six(1))


@triton.jit
def kept(x: "*i32"):
    # KEPT: constant {value = 3}
    tl.store(x, config.two(1))
    # KEPT: constant {value = 6}
    tl.store(x, other.five(1))
    # KEPT: constant {value = 9}
    tl.store(x, Sizes.COLUMNS)
    # KEPT: constant {value = 32}
    tl.store(x, config.HEIGHT)
