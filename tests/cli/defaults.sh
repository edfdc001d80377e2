#!/bin/sh
# defaults.sh TILEC -- variants of a pack beside the kernel's defaults: a launch
# that leaves a constant out is one that gives the default.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
include=$here/../../runtime/include
library=$(dirname "$tilec")/../runtime/rt
if nm "$library/libtilert.so" 2>/dev/null | grep -q __asan_; then
  echo 'SKIP: libtilert has sanitizers'
  exit 77
fi

# kernel DEFAULT: the parameter C with it
kernel() {
  cat >k.tile <<END
@triton.jit
def helper(x):
    return x

@triton.jit
def k(y, C: tl.constexpr = $1):
    tl.store(y, 1)
END
}

# A program of C and of C++; its arguments are constants, "-" leaves C out.
cat >ask.c <<'END'
#include "k.h"
#include <stdio.h>
#include <stdlib.h>
static TileArg items[2];
static TileArg named(TileArgKind kind, const char *text) {
  TileArg a = tile_none_arg();
  a.kind = kind;
  a.as.string = text;
  return a;
}
static TileArg value(const char *text) {
  TileArg a = tile_default_arg();
  if (!strcmp(text, "-")) return a;
  if (!strcmp(text, "None")) return tile_none_arg();
  if (!strcmp(text, "True")) return tile_bool_arg(true);
  if (!strcmp(text, "False")) return tile_bool_arg(false);
  if (!strcmp(text, "nan")) return tile_float_arg(NAN);
  if (text[0] == '(') {
    items[0] = tile_int_arg(1);
    items[1] = text[3] == '1' ? tile_int_arg(1) : tile_int_arg(2);
    if (text[3] == 'f') items[1] = tile_float_arg(2);
    return tile_tuple_arg(items, 2);
  }
  if (text[0] == '"') return named(TILE_ARG_STRING, text + 1);
  if (text[0] == '@') return named(TILE_ARG_FUNCTION, text + 1);
  if (!strcmp(text, "fp16")) {
    a.kind = TILE_ARG_DTYPE;
    a.dtype = TILE_FP16;
    return a;
  }
  return strchr(text, '.') ? tile_float_arg(strtod(text, NULL))
                           : tile_int_arg(atoi(text));
}
int main(int argc, char **argv) {
  int32_t y[1];
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  if (tilert_pack_open("k.tilepack", NULL, &pack, &e) ||
      tilert_device_open("cpu", NULL, &d, &e)) {
    puts(e.text);
    return 1;
  }
  for (int i = 1; i < argc; i++) {
    TilertLaunch launch;
    TileArg args[2];
    memset(&launch, 0, sizeof launch);
    launch.pack = pack;
    launch.kernel = "k";
    launch.grid[0] = 1;
    args[0] = tile_pointer_arg(y, TILE_INT32);
    args[1] = value(argv[i]);
    launch.args = args;
    launch.num_args = !strcmp(argv[i], "-") ? 1 : 2;
    y[0] = 0;
    const TileStatus status = tilert_launch(d, &launch, &e);
    printf("%s%s", i > 1 ? " " : "", !status && y[0] == 1 ? "yes" :
           status == TILE_UNAVAILABLE ? "no" : "wrong");
  }
  puts("");
  tilert_device_close(d);
  tilert_pack_close(pack);
  return 0;
}
END
kernel 1
printf 'k(*i32)\n' >v
expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack --header=k.h
expect 0 '' cc -std=c99 -Wall -Wextra -Werror -I"$include" ask.c -L"$library" \
  -Wl,-rpath,"$library" -ltilert -o ask

# asks DEFAULT CONSTANT ANSWERS ARGUMENTS...: the variant with that constant,
# or with none ("-"), launched with each of the arguments.
asks() {
  kernel "$1"
  if [ "$2" = - ]; then echo 'k(*i32)' >v; else echo "k(*i32) C=$2" >v; fi
  answers=$3
  shift 3
  expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack
  expect 0 "^$answers\$" ./ask "$@"
}

# The default as a constant, and a constant that is the default.
asks 64 64 'yes yes no' - 64 32
asks 64 - 'yes yes no' - 64 32
asks 64 32 'no no yes' - 64 32
# 1, 1.0 and True are three.
asks 1 - 'yes yes no no' - 1 1.0 True
asks 1.0 - 'yes no yes no' - 1 1.0 True
asks True - 'yes no no yes' - 1 1.0 True
asks 1 1 'yes' -
asks 1 1.0 'no' -
asks 1 True 'no' -
asks 1.0 1 'no' -
asks 1.0 1.0 'yes' -
asks True 1 'no' -
asks True True 'yes' -
asks False False 'yes no' - True
# So are 0.0 and -0.0; nan is nan.
asks 0.0 0.0 'yes yes no' - 0.0 -0.0
asks -0.0 -0.0 'yes no yes' - 0.0 -0.0
asks -0.0 - 'yes no yes' - 0.0 -0.0
asks -0.0 0.0 'no' -
asks 'float("nan")' - 'yes yes' - nan
# Other kinds.
asks None None 'yes yes no' - None 0
asks None - 'yes yes no no' - None 0 False
asks '"up"' '"up"' 'yes yes no' - '"up' '"down'
asks '"up"' - 'yes yes no' - '"up' '"down'
asks '"fp16"' - 'yes no yes' - fp16 '"fp16'
asks tl.float16 - 'yes yes no' - fp16 '"fp16'
asks tl.float16 fp16 'yes yes no' - fp16 '"fp16'
asks '(1, 2)' '(1, 2)' 'yes yes no no' - '(1,2)' '(1,1)' '(1,f)'
asks '(1, 2)' - 'yes yes no no' - '(1,2)' '(1,1)' '(1,f)'
asks '(1, 2.0)' - 'yes no' - '(1,2)'

# -- Not the default -----------------------------------------------------------

# A configuration or a heuristic may say something else.
cat >k.tile <<'END'
@triton.autotune([triton.Config({'C': 16}), triton.Config({'D': 1})], key=[])
@triton.jit
def k(y, C: tl.constexpr = 64, D: tl.constexpr = 2):
    tl.store(y, 1 if C == 16 else 2)
END
printf 'k(*i32) C=64\n' >v
expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack
expect 0 '^no$' ./ask -
printf 'k(*i32)\n' >v
expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack
expect 0 '^yes no$' ./ask - 64
cat >k.tile <<'END'
@triton.heuristics({'D': lambda args: 1})
@triton.jit
def k(y, C: tl.constexpr = 64, D: tl.constexpr = 2):
    tl.store(y, D)
END
printf 'k(*i32) C=64 D=2\n' >v
expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack
expect 0 '^no$' ./ask -

# A number that is no constexpr has a type, which a default has, too.
cat >k.tile <<'END'
@triton.jit
def k(y, C=64):
    tl.store(y, C - 63)
END
for variant in 'k(*i32)' 'k(*i32, i32)' 'k(*i32, i32:16)'; do
  echo "$variant" >v
  expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack
  expect 0 '^yes yes no$' ./ask - 64 64.0
done

# -- The header ----------------------------------------------------------------

cat >k.tile <<'END'
@triton.jit
def k(y, C: tl.constexpr = 64, D: tl.constexpr = "up"):
    tl.store(y, C + (1 if D == "up" else 2))
END
cat >v <<'END'
k(*i32) C=64
k(*i32) C=32
k(*i32) D="down"
END
cat >main.c <<'END'
#include "k.h"
#include <stdio.h>
int main(void) {
  int32_t y[3] = {0, 0, 0};
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  TileArg none = tile_default_arg(), down = none;
  down.kind = TILE_ARG_STRING;
  down.as.string = "down";
  if (tilert_pack_open("k.tilepack", NULL, &pack, &e) ||
      tilert_device_open("cpu", NULL, &d, &e) ||
      k_k(d, pack, NULL, 1, 1, 1, y, none, none, &e) ||
      k_k(d, pack, NULL, 1, 1, 1, y + 1, tile_int_arg(32), none, &e) ||
      k_k(d, pack, NULL, 1, 1, 1, y + 2, tile_int_arg(64), down, &e)) {
    puts(e.text);
    return 1;
  }
  printf("%d %d %d\n", (int)y[0], (int)y[1], (int)y[2]);
  tilert_device_close(d);
  tilert_pack_close(pack);
  return 0;
}
END
expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack --header=k.h
link="-I$include -L$library -Wl,-rpath,$library -ltilert"
expect 0 '' cc -std=c99 -Wall -Wextra -Werror main.c $link -o main
expect 0 '^65 33 66$' ./main
cp main.c main.cpp
expect 0 '' c++ -Wall -Wextra -Werror main.cpp $link -o main
expect 0 '^65 33 66$' ./main

# So many parameters that a message has no room for all: it names those that no
# variant or not each one fits.
cat >k.tile <<'END'
@triton.jit
def k(y, stride_of_batch, stride_of_head, stride_of_row, stride_of_column,
      batches_of_all, heads_of_batch, rows_of_head, columns_of_row,
      other_stride_of_batch, other_stride_of_head, other_stride_of_row,
      other_stride_of_column, other_batches_of_all, other_heads_of_batch,
      other_rows_of_head, other_columns_of_row, third_stride_of_batch,
      third_stride_of_head, third_stride_of_row, third_stride_of_column,
      third_batches_of_all, third_heads_of_batch, third_rows_of_head,
      third_columns_of_row, fourth_stride_of_batch, fourth_stride_of_head,
      fourth_stride_of_row, fourth_stride_of_column, BLOCK: tl.constexpr):
    tl.store(y, stride_of_batch + fourth_stride_of_column + BLOCK)
END
numbers=$(printf ', i32%.0s' $(seq 28))
for block in $(seq 8 60); do
  echo "k(*i32$numbers, $block)"
done >v
cat >main.c <<'END'
#include "k.h"
#include <stdio.h>

int main(void) {
  int32_t y = 0;
  TilertPack *pack;
  TilertDevice *d;
  TilertError e;
  TilertLaunch launch;
  TileArg args[28];
  if (tilert_pack_open("k.tilepack", NULL, &pack, &e) ||
      tilert_device_open("cpu", NULL, &d, &e))
    return 1;
  if (!k_k(d, pack, NULL, 1, 1, 1, &y, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
           1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 256, &e))
    return 1;
  puts(e.text);
  memset(&launch, 0, sizeof launch);
  launch.pack = pack;
  launch.kernel = "k";
  launch.grid[0] = 1;
  args[0] = tile_pointer_arg(&y, TILE_INT32);
  for (int i = 1; i < 28; i++) args[i] = tile_int_arg(1);
  launch.args = args;
  launch.num_args = 28;
  if (!tilert_launch(d, &launch, &e)) return 1;
  puts(e.text);
  tilert_device_close(d);
  tilert_pack_close(pack);
  return 0;
}
END
expect 0 '' "$tilec" pack k.tile --variants=v --cpu=x86-64 -o k.tilepack --header=k.h
expect 0 '' cc -std=c99 -Wall -Wextra -Werror main.c $link -o main
expect 0 '' ./main
{
  echo "the pack has no variant of 'k' for cpu and BLOCK: 256; it has"
  printf '  cpu x86-64-v1: BLOCK: %d\n' $(seq 8 44)
  echo '  ...'
  echo "the pack has no variant of 'k' for cpu and fourth_stride_of_column: left out; it has"
  printf '  cpu x86-64-v1: fourth_stride_of_column: i32\n%.0s' $(seq 8 29)
  echo '  ...'
} >wanted
cmp out wanted || complain 'another text'

finish
