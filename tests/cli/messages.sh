#!/bin/sh
# messages.sh TILEC -- messages as they are read: places, notes, remedies, JSON.
. "$(dirname "$0")/expect.sh"

# says FILE [OPTION...]: the messages of tilec are the text of standard input.
says() {
  cat >wanted
  run "$tilec" -o o.out "$@"
  if cmp -s wanted err; then
    passed=$((passed + 1))
  else
    diff wanted err
    complain "other words"
  fi
}

# -- From other files --------------------------------------------------------

mkdir pkg
cat >pkg/__init__.py <<'END'
from .inner import load_all
from .nowhere import g
END
cat >pkg/inner.py <<'END'
import triton.language as tl


@jit
def load_all(p, N: tl.constexpr):
    return tl.load(p + tl.arange(0, N + 1))
END
cat >calls.py <<'END'
from pkg import load_all


@jit
def k(p: "*fp32", N: tl.constexpr = 16):
    tl.store(p, load_all(p, 2 * N))
END
says calls.py <<'END'
pkg/inner.py:6:24: error: the size of 'arange' must be a power of two, found 33
      return tl.load(p + tl.arange(0, N + 1))
                         ^~~~~~~~~~~~~~~~~~~
pkg/inner.py:6:24: note: take 64 and a mask for those past 32
      return tl.load(p + tl.arange(0, N + 1))
                         ^~~~~~~~~~~~~~~~~~~
calls.py:6:17: note: called from here, with N = 32
      tl.store(p, load_all(p, 2 * N))
                  ^~~~~~~~~~~~~~~~~~
END
cat >imports.py <<'END'
from pkg.inner import laod_all
from pkg import g
import torch


@jit
def k(p: "*fp32"):
    x = laod_all(p, 4)
    y = g(x)
    z = torch.zeros([16], tl.float32)
END
says imports.py <<'END'
imports.py:8:9: error: 'pkg/inner.py' defines no 'laod_all'; did you mean 'load_all'?
      x = laod_all(p, 4)
          ^~~~~~~~
imports.py:1:23: note: imported here
  from pkg.inner import laod_all
                        ^~~~~~~~
imports.py:9:9: error: cannot find the module '.nowhere' in 'pkg/', to import 'g' from it
      y = g(x)
          ^
pkg/__init__.py:2:22: note: imported here
  from .nowhere import g
                       ^
imports.py:2:17: note: imported here
  from pkg import g
                  ^
imports.py:10:9: error: 'torch.zeros' is host code, which a kernel cannot call; did you mean 'tl.zeros'?
      z = torch.zeros([16], tl.float32)
          ^~~~~~~~~~~
          tl.zeros
imports.py:3:8: note: imported here
  import torch
         ^~~~~
END

# -- Operators ---------------------------------------------------------------

cat >ranges.py <<'END'
@jit
def k(p: "*fp32", n: i32):
    i, j = tl.arange(0, 16), tl.arange(0, 8)
    a = i * 2 + n + j - 1
    b = (i +
         j)
    n <<= 1.5
    c = "日本" < i[:, None]
    d = i < 8 and j < 8
END
says ranges.py <<'END'
ranges.py:4:19: error: '+' cannot combine tile of int32 [16] and tile of int32 [8]: their shapes do not broadcast, 16 against 8 in dimension 0
      a = i * 2 + n + j - 1
          ~~~~~~~~~ ^ ~
ranges.py:5:12: error: '+' cannot combine tile of int32 [16] and tile of int32 [8]: their shapes do not broadcast, 16 against 8 in dimension 0
      b = (i +
           ~ ^
ranges.py:7:7: error: '<<' is for integers, found int32 and constant 1.5
      n <<= 1.5
      ~ ^~~ ~~~
ranges.py:8:18: error: '<' cannot combine string '日本' and tile of int32 [16, 1]
      c = "日本" < i[:, None]
          ~~~~~~ ^ ~~~~~~~~~~
ranges.py:9:19: error: 'and' cannot combine tile of int1 [16] and tile of int1 [8]: their shapes do not broadcast, 16 against 8 in dimension 0
      d = i < 8 and j < 8
          ~~~~~     ^~~~~
END

# -- After a bracket that is not closed --------------------------------------

cat >open.py <<'END'
@jit
def first(p: "*fp32"):
    tl.store(p, 1.0


@triton.autotune(
    configs=[triton.Config({"B": 1})], key=[])
@jit
def second(p: "*fp32"):
    x = 1 +
END
says open.py <<'END'
open.py:3:13: error: '(' is never closed
      tl.store(p, 1.0
              ^
open.py:10:12: error: expected an expression, found the end of the line
      x = 1 +
             ^
END

# -- Coroutines and generators -----------------------------------------------

cat >generators.py <<'END'
import triton.language as tl


@jit
def k(o: "*i32", n: "i32", LATER: tl.constexpr = False):
    if LATER:
        x = await n
    x = -await n
    tl.store(o, (yield from n))
    yield n
    async for i in range(3):
        pass
END
says generators.py <<'END'
generators.py:8:10: error: 'await' is not supported
      x = -await n
           ^~~~~~~
generators.py:9:17: error: 'yield' is not supported
      tl.store(o, (yield from n))
                  ^~~~~~~~~~~~~~
generators.py:10:5: error: 'yield' is not supported
      yield n
      ^~~~~~~
generators.py:11:5: error: 'async for' is not supported
      async for i in range(3):
      ^~~~~~~~~~~~~~~~~~~~~~~~
END

# -- Remedies ----------------------------------------------------------------

cat >fixes.tile <<'END'
@jit
def k(p: *fp32, n: i32):
    if n > 0 && n < 9:
        n++
    elif n == 3
        pass
END
says fixes.tile <<'END'
fixes.tile:3:14: error: '&&' has no meaning here; did you mean 'and'?
      if n > 0 && n < 9:
               ^~
               and
fixes.tile:4:10: error: '++' has no meaning here; did you mean '+= 1'?
          n++
           ^~
           += 1
END
cat >names.tile <<'END'
@jit
def k(p: *fp32, n: i32):
    s = "日本"; x = tl.load(p, maks=n > 0)

    y = p[n + 1] + np.exp(0.5)
    for i in n:
        p.cast(tl.flaot16)
END
says names.tile <<'END'
names.tile:3:34: error: 'load' has no parameter 'maks'; did you mean 'mask'?
      s = "日本"; x = tl.load(p, maks=n > 0)
                                 ^~~~~~~~~~
                                 mask
names.tile:5:9: error: a pointer is not indexed but loaded from: 'tl.load(p + (n + 1))'
      y = p[n + 1] + np.exp(0.5)
          ^~~~~~~~
          tl.load(p + (n + 1))
names.tile:5:20: error: unknown name 'np'; did you mean 'tl.exp'?
      y = p[n + 1] + np.exp(0.5)
                     ^~
                     tl
names.tile:6:14: error: a loop goes over range(), tl.range(), tl.static_range() or a tuple, found int32
      for i in n:
               ^
               range(n)
END

# -- JSON --------------------------------------------------------------------

says --diagnostics-format=json calls.py <<'END'
{"severity": "error", "file": "pkg/inner.py", "line": 6, "column": 24, "span": 19, "id": "arange_not_power_of_two", "message": "the size of 'arange' must be a power of two, found 33"}
{"severity": "note", "file": "pkg/inner.py", "line": 6, "column": 24, "span": 19, "id": "next_size", "message": "take 64 and a mask for those past 32"}
{"severity": "note", "file": "calls.py", "line": 6, "column": 17, "span": 18, "id": "called", "message": "called from here, with N = 32"}
END
cat >fix.tile <<'END'
@jit
def k(p: *fp32, n: i32):
    if n > 0
        pass
END
says --diagnostics-format=json fix.tile <<'END'
{"severity": "error", "file": "fix.tile", "line": 3, "column": 13, "span": 1, "id": "expected_other", "message": "expected ':', found the end of the line", "fix": {"line": 3, "column": 13, "span": 0, "text": ":"}}
END
cat >sum.tile <<'END'
@jit
def k(p: *fp32, n: i32):
    x = p + 1.5
END
says --diagnostics-format=json sum.tile <<'END'
{"severity": "error", "file": "sum.tile", "line": 3, "column": 11, "span": 1, "id": "pointer_operand", "message": "'+' cannot combine pointer to fp32 and fp32: a pointer moves by '+' and '-' of integers", "ranges": [{"line": 3, "column": 9, "span": 1}, {"line": 3, "column": 13, "span": 3}]}
END
# The message is UTF-8 for any byte in a source or in its name.
printf 'x = "\377"\n' >"$(printf 'caf\351.tile')"
says --diagnostics-format=json "$(printf 'caf\351.tile')" <<'END'
{"severity": "error", "file": "caf\ufffd.tile", "line": 1, "column": 6, "span": 1, "id": "file_not_utf8", "message": "the file is not UTF-8 text: byte 0xff"}
END
cat >big.tile <<'END'
@jit
def k(p: *fp32):
    i = tl.arange(0, 524288)
    tl.store(p + i, 1.0)
END
says --diagnostics-format=json --target=sm_80 big.tile <<'END'
{"severity": "error", "file": "big.tile", "line": 3, "column": 9, "span": 20, "id": "tile_past_registers", "message": "a tile of 524288 elements on 4 warps is 4096 elements a thread, and a thread can hold 2048 at most; use a smaller tile or more warps"}
END

finish
