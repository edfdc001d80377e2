#!/bin/sh
# pack.sh TILEC -- `tilec pack`: the file of variants, and its errors.
# Backs I7 of runtime/tools.
script=$(cd "$(dirname "$0")" && pwd)/pack.sh
. "$(dirname "$0")/expect.sh"

cat >add.tile <<'END'
@jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@jit
def tupled(t, y):
    tl.store(y, t[0])

@jit
def windowed(d, t, y, f: tl.constexpr):
    x = d.load([0])
    tl.store(y + tl.arange(0, 4), f(x * t.scale + t.sizes[0]))

@jit
def negated(x):
    return -x
END

# pack CODE PATTERN LINE ARGUMENTS...: a file of variants of one line.
pack() {
  wanted=$1 pattern=$2
  printf '# the first line\n%s\n' "$3" >v
  shift 3
  expect "$wanted" "$pattern" "$tilec" pack add.tile --variants=v "$@"
}

good='add(*fp32:16, *fp32:16, i32) BLOCK=64'
pack 0 '' "$good"
pack 0 '' "  $good --num-warps=2 --config=0 # said why" -o two.tilepack
pack 0 '' "$good" --cpu=x86-64-v3 --target=cpu,sm_80 -o three.tilepack
pack 0 '' 'add(*fp32, *fp32, i32, 64)' -o four.tilepack
pack 0 '' 'add(*fp32, *fp32, i32, 8*8)' -o five.tilepack
expect 0 '' cmp four.tilepack five.tilepack
pack 0 '' 'tupled((i32, 3), *i32)' -o four.tilepack
pack 0 '' 'tupled((i32, 1+2), *i32)' -o five.tilepack
expect 0 '' cmp four.tilepack five.tilepack
expect 0 '' "$tilec" pack add.tile --variants=v -o p.c --header=p.h

pack 2 "packs have names between commas, of x86-64, x86-64-v2, x86-64-v3, x86-64-v4\$" \
  "$good" --cpu=znver4
# A target or a level that is named twice.
pack 2 'error: --target cpu: given twice' "$good" --target=cpu,sm_80,cpu
pack 2 'error: --target sm_80: given twice' "$good" --target=sm_80 --target=sm_80
pack 2 'error: --cpu x86-64-v3: given twice' "$good" --cpu=x86-64-v3,x86-64,x86-64-v3

# -- The header --------------------------------------------------------------

cat >mix.tile <<'END'
@jit
def mix(x, y, s, k, flag: tl.constexpr, BLOCK: tl.constexpr,
        mode: tl.constexpr = "a", scale: tl.constexpr = 0.5,
        more: tl.constexpr = 1):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i) * s + k + more
    if flag:
        v = v * scale
    if y is not None:
        tl.store(y + i, v)
    if mode == "b":
        tl.store(x + i, v)

@jit
def nothing():
    pass

@triton.autotune([triton.Config({'B': 16}), triton.Config({'B': 32})], key=[])
@jit
def tuned(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), tl.full([B], B, tl.float32))
END
cat >v <<'END'
mix(*fp32:16, *fp32:16, fp32, i32) flag=True BLOCK=16 more=2
mix(*fp16:16, *fp32:16, fp32, i32) flag=False BLOCK=16 more=2
mix(*fp16:16, None, fp32, i64) flag=False BLOCK=32 more=2
mix(*fp32, *fp32, fp32, 1) flag=False BLOCK=32 mode="b" scale=0.25 more=2
nothing()
tuned(*fp32)
tuned(*fp32) --config=1
END
cat >mix_main.c <<'END'
#include "mix.h"
#include <stdio.h>
static float x[64], y[64];
int main(void) {
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  TileArg none = tile_default_arg(), b = none;
  b.kind = TILE_ARG_STRING;
  b.as.string = "b";
  if (mix_open(&pack, &e) || tilert_device_open("cpu", NULL, &d, &e) ||
      mix_nothing(d, pack, NULL, 1, 1, 1, &e))
    return 1;
  for (int i = 0; i < 64; i++) x[i] = (float)i;
  if (mix_mix(d, pack, NULL, 1, 1, 1, x, TILE_FP32, y, 2, 10, true, 16, none,
              none, &e))
    return 2;
  printf("%g %g\n", y[0], y[15]);
  if (mix_mix(d, pack, NULL, 1, 1, 1, x, TILE_FP32, y, 2, 1, false, 32, none,
              tile_float_arg(0.25), &e) != TILE_UNAVAILABLE ||
      mix_mix(d, pack, NULL, 1, 1, 1, x, TILE_FP32, y, 2, 1, false, 32, b,
              tile_float_arg(0.25), &e))
    return 3;
  if (mix_tuned(d, pack, NULL, 1, 1, 1, 1, y, &e)) return 4;
  printf("%g %g\n", x[31], y[31]);
  tilert_device_close(d);
  tilert_pack_close(pack);
  return 0;
}
END
include=$(cd "$(dirname "$script")/../../runtime/include" && pwd)
archive=$(dirname "$tilec")/../runtime/rt/libtilert.a
[ -f "$archive" ] && ! nm "$archive" | grep -q __asan_ || {
  echo 'SKIP (part): there is no libtilert.a without sanitizers'
  archive=
}

# link_c NAME: the program NAME of NAME_main.c and the pack in NAME.c
link_c() {
  expect 0 '' cc -std=c99 -Wall -Wextra -pedantic -Werror "$1_main.c" "$1.c" \
    -I"$include" "$archive" -o "$1"
}

expect 0 '' "$tilec" pack mix.tile --variants=v -o mix.c --header=mix.h
if [ -n "$archive" ]; then
  link_c mix
  expect 0 '^6 21$' ./mix
  expect 0 '^65 32$' ./mix
fi

# The text about a missing variant has the values that the launch did not give:
# a default, the value of a configuration or a heuristic.
cat >given.tile <<'END'
W = 4
@triton.autotune([triton.Config({'B': 16}), triton.Config({'B': 32})], key=[])
@triton.heuristics({'H': lambda args: args['B'] * 2})
@jit
def given(y, n: i64, B: tl.constexpr, H: tl.constexpr, BLOCK: tl.constexpr = 16 * W,
          MODE: tl.constexpr = "up", TYPE: tl.constexpr = tl.float16, ON: tl.constexpr = True,
          SCALE: tl.constexpr = 2.0, MORE: tl.constexpr = None, PAIR: tl.constexpr = (1, 2)):
    if ON:
        tl.store(y, n + B + H + BLOCK)
END
cat >v <<'END'
given(*i64, i64) BLOCK=32 MORE=3
given(*i64, i64) --config=1
END
cat >given_main.c <<'END'
#include "given.h"
#include <stdio.h>
int main(void) {
  static int64_t y[2];
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  TileArg args[] = {tile_pointer_arg(y, TILE_INT64), tile_int_arg(5)};
  TileConstant more = {"MORE", tile_int_arg(4)};
  TilertLaunch launch = {.size = sizeof launch};
  if (given_open(&pack, &e) || tilert_device_open("cpu", NULL, &d, &e))
    return 1;
  launch.pack = pack;
  launch.kernel = "given";
  launch.args = args;
  launch.num_args = 2;
  launch.constants = &more;
  launch.num_constants = 1;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  if (tilert_launch(d, &launch, &e) != TILE_UNAVAILABLE) return 2;
  puts(e.text);
  return 0;
}
END
expect 0 '' "$tilec" pack given.tile --variants=v --cpu=x86-64 -o given.c --header=given.h
if [ -n "$archive" ]; then
  link_c given
  rest='MODE: "up" by default, TYPE: fp16 by default, ON: True by default, SCALE: 2.0 by default'
  expect 0 "for cpu and y: \\*i64:16, n: 5 as i64, BLOCK: 64 by default, $rest, MORE: 4, PAIR: (1, 2) by default, config 0; it has\$" ./given
  expect 0 ": \\*i64, n: i64, B: 16 by default, H: 32 by default, BLOCK: 32, $rest, MORE: 3, PAIR: (1, 2) by default, config 0\$" ./given
  expect 0 ", B: 32 by default, H: 64 by default, BLOCK: 64 by default, $rest, MORE: None by default, PAIR: (1, 2) by default, config 1\$" ./given
fi

# A default is the value if the launch's configuration gives none; other
# configurations do not matter.  A constant without a value and a default is left
# out.
cat >some.tile <<'END'
@triton.autotune([triton.Config({'B': 16}), triton.Config({})], key=[])
@jit
def some(y, B: tl.constexpr = 64):
    tl.store(y, B)

@jit
def mode(y, n, M: tl.constexpr):
    tl.store(y, 1 if M == "up" else 2)
END
cat >v <<'END'
some(*i64)
some(*i64) B=64 --config=1
some(*i32) --config=1
mode(*i64, i32:16) M="up"
END
cat >some_main.c <<'END'
#include "some.h"
#include <stdio.h>
static TilertPack *pack;
static TilertDevice *d;
static TilertError e;
static int64_t y;

static void run(TileDtype type, int config, int b) {
  TileArg args[2];
  TilertLaunch launch = {.size = sizeof launch};
  args[0] = tile_pointer_arg(&y, type);
  args[1] = tile_int_arg(b);
  launch.pack = pack;
  launch.kernel = "some";
  launch.config = config;
  launch.args = args;
  launch.num_args = b ? 2 : 1;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  y = 0;
  if (tilert_launch(d, &launch, &e) == TILE_OK)
    printf("%s %d %d: %d\n", type == TILE_INT64 ? "i64" : "i32", config, b, (int)y);
  else
    puts(e.text);
}

int main(void) {
  if (some_open(&pack, &e) || tilert_device_open("cpu", NULL, &d, &e)) return 1;
  for (int config = 0; config < 2; config++)
    for (int b = 0; b <= 64; b += 64) {
      run(TILE_INT64, config, b);
      run(TILE_INT32, config, b);
    }
  if (some_mode(d, pack, NULL, 1, 1, 1, &y, 3, &e)) puts(e.text);
  return 0;
}
END
expect 0 '' "$tilec" pack some.tile --variants=v --cpu=x86-64 -o some.c --header=some.h
if [ -n "$archive" ]; then
  link_c some
  for line in 'i64 0 0: 16' 'i64 1 0: 64' 'i64 1 64: 64' 'i32 1 0: 64' 'i32 1 64: 64'; do
    expect 0 "^$line\$" ./some
  done
  expect 0 'cpu and y: \*i32:[0-9]*, B: left out, config 0; it has$' ./some
  expect 0 'cpu and y: \*i64:[0-9]*, B: 64, config 0; it has$' ./some
  expect 0 ', n: 3 as i32, M: left out; it has$' ./some
  expect 0 ': \*i64, B: 16 by default, config 0$' ./some
  expect 0 ': \*i32, B: 64 by default, config 1$' ./some
fi

# Words of C++, constants that have no literal, numbers that are integers or
# floats.
cat >odd.tile <<'END'
@jit
def odd(new, a, s: tl.constexpr = 1.0):
    tl.store(new, tl.minimum(tl.load(new) * a, s))

@jit
def words(NAN, INFINITY, _Bool, int32_t, M_PI, SIZE_MAX, linux, tile_int_arg, co_await):
    tl.store(int32_t, 1)
END
cat >v <<'END'
odd(*fp32, fp32) s=inf
odd(*fp32, i32) s=inf
words(i32, i32, i32, *i32, i32, i32, i32, i32, i32)
END
cat >odd_main.c <<'END'
#include "odd.h"
#include <stdio.h>
int main(void) {
  float x[1] = {2};
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  if (odd_open(&pack, &e) || tilert_device_open("cpu", NULL, &d, &e) ||
      odd_odd(d, pack, NULL, 1, 1, 1, x, tile_int_arg(3), &e) ||
      odd_odd(d, pack, NULL, 1, 1, 1, x, tile_float_arg(0.5), &e))
    return 1;
  printf("%g\n", x[0]);
  tilert_device_close(d);
  tilert_pack_close(pack);
  return 0;
}
END
expect 0 '' "$tilec" pack odd.tile --variants=v -o odd.c --header=odd.h
expect 0 '' c++ -Wall -Wextra -Werror -I"$include" -fsyntax-only -x c++ odd_main.c
if [ -n "$archive" ]; then
  link_c odd
  expect 0 '^3$' ./odd
fi

# Tuples are passed by their items, descriptors by their address.
cat >v <<'END'
windowed(tensordesc<fp32[4]>, (sizes=(i32, 7), scale=fp32), *fp32) f=negated
windowed(tensordesc<fp32[4], nan>, (sizes=(i32, 7), scale=fp32), *fp32) f=negated
tupled((i32, 1), *i32)
tupled((i32, i32), *i32)
END
cat >parts_main.c <<'END'
#include "parts.h"
#include <stdio.h>
int main(void) {
  static float x[4] = {1, 2, 3, 4};
  float y[4];
  int32_t z = 0;
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  TileTensorDescriptor t;
  memset(&t, 0, sizeof t);
  t.address = x;
  t.dtype = TILE_FP32;
  t.rank = 1;
  t.shape[0] = 3;
  t.strides[0] = 1;
  t.block[0] = 4;
  if (parts_open(&pack, &e) || tilert_device_open("cpu", NULL, &d, &e) ||
      parts_windowed(d, pack, NULL, 1, 1, 1, &t, 10, 0.5f, y, &e) ||
      parts_tupled(d, pack, NULL, 1, 1, 1, 25, 3, &z, &e))
    return 1;
  printf("%g %g %g %d ", y[0], y[2], y[3], (int)z);
  t.pads_with_nan = true;
  if (parts_windowed(d, pack, NULL, 1, 1, 1, &t, 10, 0.5f, y, &e)) return 2;
  printf("%d\n", y[3] != y[3]);
  tilert_device_close(d);
  tilert_pack_close(pack);
  return 0;
}
END
expect 0 '' "$tilec" pack add.tile --variants=v -o parts.c --header=parts.h
expect 0 '' c++ -Wall -Wextra -Werror -I"$include" -fsyntax-only -x c++ parts_main.c
if [ -n "$archive" ]; then
  link_c parts
  expect 0 '^-10.5 -11.5 -10 25 1$' ./parts
fi

# -- Machine code ------------------------------------------------------------

printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf CUBIN >"$2"\n' >ptxas
chmod +x ptxas
cubins="$tilec pack add.tile --variants=v --cubin --target=sm_80"
export TILE_PTXAS="$work/ptxas"
printf '%s\n' "$good" >v
expect 0 '' $cubins -o cubin.tilepack
expect 0 '^1$' grep -c CUBIN cubin.tilepack
printf '#!/bin/sh\necho refused; exit 255\n' >ptxas
expect 1 'refuses the PTX' $cubins -o none.tilepack
expect 0 '' test ! -e none.tilepack
export TILE_PTXAS=/nowhere TILE_LIBCUDA=/nowhere
expect 0 "warning: 'add' has PTX alone for sm_80" $cubins -o ptx.tilepack
expect 1 '' grep -c CUBIN ptx.tilepack
driver=$(dirname "$tilec")/../tests/runtime/libfake_cuda.so # the driver of an sm_80
if [ -f "$driver" ]; then
  export TILE_LIBCUDA="$driver"
  expect 0 '' $cubins -o by_driver.tilepack
  expect 0 '^1$' grep -c cubin by_driver.tilepack
fi
unset TILE_PTXAS TILE_LIBCUDA

# -- Errors have a place -----------------------------------------------------

pack 1 "v:2:1: error: there is no kernel 'sum'" 'sum(*fp32)'
pack 1 "v:2:1: error: there is no kernel 'addd'; did you mean 'add'" 'addd(*fp32)'
pack 1 "v:2:5: error: the types of 'add' are wanted" 'add BLOCK=64'
pack 1 'v:2:4: error: this bracket is not closed' 'add(*fp32, i32 BLOCK=64'
pack 1 "v:2:11: error: '\*fp31' is not a type; did you mean '\*fp32'" \
  'add(*fp32,*fp31, i32) BLOCK=64'
pack 1 '^            ^~~~~$' 'add(*fp32,*fp31, i32) BLOCK=64'
pack 1 'v:2:11: error: a divisibility is a power of two' \
  'add(*fp32:7, *fp32, i32) BLOCK=64'
pack 1 "v:2:30: error: this is no number" 'add(*fp32, *fp32, i32) BLOCK=--'
pack 1 "v:2:30: error: 'BLOCK': .*zero" 'add(*fp32, *fp32, i32) BLOCK=1//0'
pack 1 "v:2:19: error: 'tupled': .*zero" 'tupled((i32, 8*8, 1//0), *i32)'
# Columns are those of the line, also behind a value with more digits.
pack 1 "v:2:21: error: 'fp33' is not a type" 'tupled((i32, 2**40, fp33), *i32)'
pack 0 '' 'add(*fp32, *fp32, i32) BLOCK=2**6
add(*fp32, *fp32, i32) BLOCK=(1+127)'
pack 1 "v:2:1: note: asked for here" 'add(*fp32, *fp32) BLOCK=64'
pack 1 'v:2:1: note: asked for here' 'add(*fp32, *fp32, i32) BLOCK=48'
pack 1 "v:2:24: error: kernel 'add' has no parameter 'BLCK'" \
  'add(*fp32, *fp32, i32) BLCK=64'
pack 1 "v:2:28: error: 'BLOCK' is given twice" 'add(*fp32, *fp32, i32, 64) BLOCK=64'
pack 1 "v:2:24: error: NAME=VALUE is wanted, found '64'" 'add(*fp32, *fp32, i32) 64'
pack 1 "v:2:33: error: '--num-warps=3': a power of two from 1 to 32" \
  'add(*fp32, *fp32, i32) BLOCK=64 --num-warps=3'
pack 1 "v:2:33: error: '--num-ctas=3': a power of two from 1 to 8" \
  'add(*fp32, *fp32, i32) BLOCK=64 --num-ctas=3'
pack 1 "v:2:33: error: '--persist=often': auto, always or never" \
  'add(*fp32, *fp32, i32) BLOCK=64 --persist=often'
pack 0 '' "$good
$good --num-ctas=2
$good --persist=never
$good --persist=always"
pack 1 "v:2:33: error: there is no '--warps=3'" \
  'add(*fp32, *fp32, i32) BLOCK=64 --warps=3'
pack 1 'v:3:1: error: line 2 asks for the same' "$good
$good"
pack 1 "'y' of 'tupled': a pack has no arguments of that type" \
  'tupled((i32, i32), *fp8e4b8)'
pack 1 'v: there is no variant' '# nothing'

# -- Build systems -----------------------------------------------------------

mkdir lib
printf '@jit\ndef one():\n    return 1\n' >lib/ones.tile
cat >imports.tile <<'END'
from ones import one

@jit
def k(y):
    tl.store(y, one())
END
printf 'k(*i32)\n' >v
ruled() { # ruled PATTERN FILE ARGUMENTS...: the rule in the file
  pattern=$1 file=$2
  shift 2
  expect 0 '' "$tilec" pack imports.tile -I lib --variants=v --cpu=x86-64 -MD "$@"
  expect 0 "$pattern" cat "$file"
}
# With an empty cache, with the code in the cache, and without a cache.
for kept in kept kept off; do
  ruled '^i.c: imports.tile v lib/ones.tile$' i.d -o i.c --cache-dir="$kept"
done
ruled '^my\\ pack: imports.tile v lib/ones.tile$' r -o i.c -MF r -MT 'my pack'
ruled '^kernels.tilepack: ' kernels.d -o -
rm -f i.c
expect 3 "cannot write '/nowhere/x'" "$tilec" pack imports.tile -I lib \
  --variants=v --cpu=x86-64 -o i.c --header=i.h -MD -MF /nowhere/x
[ -e i.c ] || [ -e i.h ] && complain 'an output was left behind'

# -- Names of the header -------------------------------------------------------

cat >names.tile <<'END'
@jit
def open():
    pass

@jit
def pack_size():
    pass

@jit
def ça():
    pass

@jit
def öa():
    pass
END
named() {
  printf '%s\n' "$4" >v
  expect "$1" "$2" "$tilec" pack names.tile --variants=v --cpu=x86-64 \
    -o "$3" --header=n.h
}
taken="would be 'n_open', a name that the header has already"
named 1 "v:1:1: error: the function for 'open' $taken" n.c 'open()'
[ -e n.c ] || [ -e n.h ] && complain 'something was written'
named 1 "'n_pack_size'" n.c 'pack_size()'
named 0 '' n.tilepack 'open()' # a pack without these functions
expect 0 '' "$tilec" pack names.tile --variants=v --cpu=x86-64 -o n.c
named 1 "v:2:1: error: the function for 'öa' would be 'n___a'" n.tilepack \
  "ça()
öa()"

# One source may include two headers of the same name.
printf '@jit\ndef a():\n    pass\n\n@jit\ndef b():\n    pass\n' >ab.tile
for one in -:a _:b; do
  printf '%s()\n' "${one#*:}" >v
  expect 0 '' "$tilec" pack ab.tile --variants=v --cpu=x86-64 \
    -o "x${one%:*}y.tilepack" --header="x${one%:*}y.h"
done
printf '#include "x-y.h"\n#include "x_y.h"\nvoid *both[] = {(void *)x_y_a, (void *)x_y_b};\n' >ab.c
expect 0 '' cc -std=c99 -I"$include" -fsyntax-only ab.c

# -- Launches of a program ---------------------------------------------------

cat >prog.sh <<'END'
set -e
run() {
  "$tilec" run add.tile --kernel=add --device=cpu --grid=1 "$@" \
    --arg x=zeros:fp32[64] --arg y=zeros:fp32[64]
}
run --arg n=64 --arg BLOCK=64
run --arg n=63 --arg BLOCK=32 --num-warps=2
run --arg n=1 --arg BLOCK=32
run --arg n=64 --arg BLOCK=64
run --arg n=64 --arg BLOCK=64 --num-ctas=2 --persist=never
END
cat >>prog.sh <<'END'
"$tilec" run add.tile --kernel=windowed --device=cpu --grid=1 \
  --arg 'd=desc(zeros:fp32[8], [4], nan)' --arg 't=(sizes=(16, 7), scale=0.5)' \
  --arg y=zeros:fp32[8] --arg f=negated
"$tilec" run add.tile --kernel=tupled --device=cpu --grid=1 \
  --arg 't=(3,)' --arg y=zeros:i32[8]
"$tilec" run add.tile --kernel=tupled --device=cpu --grid=1 \
  --arg 't=(fp32, 3)' --arg y=zeros:fp32[8] || true
END
export tilec
expect 0 '' "$tilec" pack --record='sh prog.sh' -o seen
expect 0 '^windowed(tensordesc<fp32\[4\], nan>, (sizes=(i32:16, i32), scale=fp32), \*fp32:16) f=negated$' cat seen
expect 0 '^add(\*fp32:16, \*fp32:16, i32:16) BLOCK=64$' cat seen
expect 0 '^add(\*fp32:16, \*fp32:16, i32) BLOCK=32 --num-warps=2$' cat seen
expect 0 '^add(\*fp32:16, \*fp32:16, 1) BLOCK=32$' cat seen
expect 0 '^add(\*fp32:16, \*fp32:16, i32:16) BLOCK=64 --num-ctas=2 --persist=never$' cat seen
expect 0 '^4$' grep -c '^add' seen
expect 0 '^tupled((i32,), \*i32:16)$' cat seen
expect 0 '' "$tilec" pack add.tile --variants=seen -o seen.tilepack
expect 3 "--record='exit 4': it ended with code 4" "$tilec" pack --record='exit 4' -o no
expect 3 "--record='true': it launched nothing" "$tilec" pack --record=true -o no

# -- The cache, and files that a kill leaves ---------------------------------

printf '%s\n' "$good" 'windowed(tensordesc<fp32[4]>, (sizes=(i32, 7), scale=fp32), *fp32) f=negated' >v
both="$tilec pack add.tile --variants=v --target=cpu,sm_80 --cpu=x86-64"
expect 0 '' $both -o whole.tilepack
export TILE_CACHE_DIR="$work/kept"
expect 0 '' $both -o first.tilepack
expect 0 "'\{0,1\}windowed'\{0,1\} for sm_80 is in the cache" $both -v -o second.tilepack
export TILE_CACHE_DIR=off
expect 0 '' cmp whole.tilepack first.tilepack
expect 0 '' cmp whole.tilepack second.tilepack
for time in 0.01 0.02 0.04 0.06 0.1; do
  $both -o killed.tilepack 2>killed.err &
  sleep "$time"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  [ ! -e killed.tilepack ] || expect 0 '' cmp whole.tilepack killed.tilepack
done

# -- The command line --------------------------------------------------------

expect 2 'variants=FILE is needed' "$tilec" pack add.tile
expect 2 'no file to pack' "$tilec" pack --variants=v
expect 3 'none' "$tilec" pack add.tile --variants=none
expect 2 "'--variants=v' is an option of 'tilec pack'" "$tilec" add.tile --variants=v
pack 2 "'native,x86-64'" "$good" --cpu=native,x86-64
export TILE_CPU=znver4 # no level: $TILE_CPU matters for a CPU device only
pack 2 "TILE_CPU='znver4': packs have names" "$good"
pack 0 '' "$good" --target=sm_80
pack 0 '' "$good" --cpu=x86-64
unset TILE_CPU
pack 3 'none/p.h' "$good" -o left.tilepack --header=none/p.h
expect 0 '' test ! -e left.tilepack
pack 3 'No space left' "$good" -o /dev/full
pack 3 'No space left' "$good" -o left.tilepack --header=/dev/full
expect 0 '' test ! -e left.tilepack
expect 0 'usage: tilec pack' "$tilec" pack --help

finish
