# A function of the host fills a global of the module with an imported value:
# `-D NAME=module.name` gives the value, as no name of this file has it.
# RUN: tilec %s --kernel=filled -D _scale=lazy.scales.twice --stop-after=frontend -o - | FileCheck %s --check-prefix=FILLED
# RUN: tilec %s --kernel=passed -D ACT=lazy.scales.twice --stop-after=frontend -o - | FileCheck %s --check-prefix=FILLED
# RUN: tilec %s --kernel=passed -D ACT=m.exp --stop-after=frontend -o - | FileCheck %s --check-prefix=NAMED
# RUN: not tilec %s --kernel=filled -o - 2>&1 | FileCheck %s --check-prefix=UNFILLED
# RUN: not tilec %s --kernel=filled -D _scale=lazy.scales.thrice -o - 2>&1 | FileCheck %s --check-prefix=NOMEMBER
# RUN: not tilec %s --kernel=filled -D _scale=nosuch.twice -o - 2>&1 | FileCheck %s --check-prefix=NOMODULE
# RUN: not tilec %s --kernel=passed -D ACT=lazy..twice -o - 2>&1 | FileCheck %s --check-prefix=NOTEXT
# RUN: not tilec %s --kernel=filled -D _scale=define_elsewhere._scale -o - 2>&1 | FileCheck %s --check-prefix=ITSELF
# RUN: not tilec %s --kernel=ignored -D ACT=nosuch.twice -o - 2>&1 | FileCheck %s --check-prefix=IGNORED
# RUN: not tilec %s --kernel=ignored -D ACT=m.nosuch -o - 2>&1 | FileCheck %s --check-prefix=NOBUILTIN
import triton
import triton.language as tl
import triton.language.math as m

_scale = None


def _load():
    global _scale
    from lazy.scales import twice as _twice

    _scale = _twice


# FILLED: constant {value = 2.0}
# FILLED: mulf
# UNFILLED: error: '_scale' is computed by host code; give its value with -D
# NOMEMBER: error: '{{.*}}scales.py' defines no 'thrice'
# NOMODULE: error: no file was found that defines 'nosuch.twice'
# ITSELF: error: '_scale' is computed by host code
@triton.jit
def filled(p: "*fp32"):
    tl.store(p, _scale(tl.load(p)))


# NAMED: exp %
# NOTEXT: error: 'lazy..twice' is no number, string, type or name
@triton.jit
def passed(p: "*fp32", ACT: tl.constexpr):
    tl.store(p, ACT(tl.load(p)))


# IGNORED: error: no file was found that defines 'nosuch.twice'
# NOBUILTIN: error: there is no 'triton.language.math.nosuch'
@triton.jit
def ignored(p: "*fp32", ACT: tl.constexpr):
    tl.store(p, 1.0)
