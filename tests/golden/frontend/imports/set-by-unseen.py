# A file that is only imported hands another module to code that is not followed,
# or runs a text or an import by its name: then a kernel is not told what the lines
# of that module say.
# RUN: mkdir %t.d && cp %s %t.d/main.py && echo "P = 1" > %t.d/config.py
# RUN: printf "import config, functools\nfunctools.partial(setattr, config, 'P')(5)\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config\ne = eval\ne('config.__dict__.update(P=5)')\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config\nname = 'con' + 'fig'\n__import__(name).P = 5\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config, opaque\nopaque.start([(config, 5)])\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config\nconfig.__setattr__('P', 5)\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config, opaque\nopaque.start([[config]])\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config, opaque\nopaque.start({'m': config})\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config, opaque\nopaque.start(((config, 1), 2))\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config, opaque\nclass B:\n    m = config\nopaque.start(B())\n" > %t.d/changes.py
# RUN: not tilec --emit=ir --kernel=changed %t.d/main.py 2>&1 | FileCheck %s
# RUN: printf "import config\nprint(config.P)\n" > %t.d/changes.py
# RUN: tilec --emit=ir --kernel=changed %t.d/main.py -o - 2>&1 | FileCheck --check-prefix=KEPT %s
import triton
import triton.language as tl

import changes
import config


@triton.jit
def changed(x: "*i32"):
    # CHECK: error: 'P' is computed by host code
    # KEPT: store
    tl.store(x, config.P)
