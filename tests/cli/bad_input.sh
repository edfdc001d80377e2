#!/bin/sh
# bad_input.sh TILEC -- every kind of bad input ends in a clear diagnostic, the
# right exit code, and nothing written.
# Backs I2 of runtime/tools.
. "$(dirname "$0")/expect.sh"

# bad PATTERN [SIGNATURE]: compiles the kernel on standard input for the host.
bad() {
  cat >bad.tile
  refuse 1 "$1" "$tilec" bad.tile -o o.out --signature="${2-}"
}

# wrong PATTERN LINE...: the same for the body of `def k(x, y, n)`.
wrong() {
  pattern=$1
  shift
  {
    echo '@jit'
    echo 'def k(x, y, n):'
    printf '    %s\n' "$@"
  } >bad.tile
  refuse 1 "$pattern" "$tilec" bad.tile -o o.out --signature='*fp32,*fp16,i32'
}

# -- Not text at all ---------------------------------------------------------

: >empty.tile
refuse 2 'no kernel' "$tilec" empty.tile -o o.out
printf '@jit\ndef k(x):\n    y = \0 1\n' >bad.tile
refuse 1 'bad.tile:3:' "$tilec" bad.tile -o o.out --signature='*fp32'
head -c 100 /dev/zero >bad.tile
refuse 1 'error' "$tilec" bad.tile -o o.out
head -c 10000000 /dev/urandom >bad.tile
refuse 1 'error' "$tilec" bad.tile -o o.out
[ "$(wc -l <err)" -lt 200 ] || complain "too many messages"
{ printf '@jit\ndef k(x):\n    y = 1'; yes ' + 1' | head -c 1000000 | tr -d '\n'
  echo; echo '    z = missing'; } >bad.tile
refuse 1 'missing' "$tilec" bad.tile -o o.out --signature='*fp32'
{ printf '@jit\ndef k(x):\n    y = '; head -c 1000000 /dev/zero | tr '\0' 'a'
  echo; } >bad.tile
refuse 1 'error' "$tilec" bad.tile -o o.out --signature='*fp32'
refuse 2 "found '??2J?'" "$tilec" bad.tile --config="$(printf '\033\0332J\377')"

# The name of a file with escape sequences does not move the cursor.
named=$(printf 'a\nb\033[31m.tile')
echo 'def (' >"$named"
refuse 1 'a.x0ab.x1b\[31m.tile:1:5: error' "$tilec" "$named" -o o.out

# -- Layout and syntax -------------------------------------------------------

bad 'tabs and spaces' '*fp32' <<'END'
@jit
def k(x):
    if True:
        y = 1
	z = 2
END
bad 'indent' '*fp32' <<'END'
@jit
def k(x):
    y = 1
      z = 2
END
bad 'indent' '*fp32' <<'END'
@jit
def k(x):
        y = 1
    z = 2
END
bad 'bad.tile:3:.*string' '*fp32' <<'END'
@jit
def k(x):
    y = "abc
END
bad 'string' '*fp32' <<'END'
@jit
def k(x):
    """never closed
END
bad "bad.tile:3:.*'('" '*fp32' <<'END'
@jit
def k(x):
    y = (1 + 2
END
{ printf '@jit\ndef k(x):\n    y = '; head -c 10000 /dev/zero | tr '\0' '('
  printf '1'; head -c 10000 /dev/zero | tr '\0' ')'; echo; } >bad.tile
refuse 1 'deep' "$tilec" bad.tile -o o.out --signature='*fp32'

# -- Names and types ---------------------------------------------------------

wrong "unknown name 'xx'" 'y = xx + 1'
wrong 'did you mean' 'v = tl.laod(x)'
wrong "did you mean 'libdevice.tanh'" 'v = tl.tanh(n)'
wrong "wants a value for 'axis'" 'v = tl.program_id()'
wrong 'argument' 'v = tl.program_id(0, 1, 2, 3)'
wrong "'axes'" 'v = tl.sum(tl.zeros([4], tl.float32), axes=0)'
wrong "'tl.store' wants\|pointer" 'tl.store(n, 1)'
wrong 'pointer' 'v = tl.load(n)'
wrong 'pointer' 'v = x * 2'
wrong 'shape\|broadcast' 'v = tl.arange(0, 16) + tl.arange(0, 32)'
wrong 'power of two\|power of 2' 'v = tl.arange(0, 48)'
wrong 'constexpr\|constant' 'v = tl.arange(0, n)'
wrong 'dot' 'v = tl.dot(tl.zeros([16, 16], tl.float16), tl.zeros([32, 16], tl.float16))'
wrong 'elements' 'v = tl.zeros([1024, 1024, 1024], tl.float32)' 'tl.store(x, tl.sum(v))'
wrong 'zero' 'v = 1 // (n - n) + (tl.constexpr(1) // tl.constexpr(0))'
wrong 'one must be even' 'tl.static_assert(1 % 2 == 0, "one must be even")'
wrong 'indices' 'v = tl.arange(0, 16)[:, None, None, :]' 'indices'

bad 'BLOCK' '*fp32' <<'END'
@jit
def k(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0.0)
END
bad 'calls itself' '*fp32' <<'END'
@jit
def f(x):
    return g(x)

@jit
def g(x):
    return f(x)

@jit
def k(x):
    tl.store(x, f(1.0))
END

# -- Files -------------------------------------------------------------------

cat >good.tile <<'END'
@jit
def k(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
END
signature='*fp32,*fp32,i32'
refuse 3 'cannot open' "$tilec" nowhere.tile -o o.out
refuse 3 'directory' "$tilec" . -o o.out
refuse 3 'cannot write' "$tilec" good.tile -o nowhere/o.out --signature="$signature"
refuse 3 'cannot write' "$tilec" good.tile -o . --signature="$signature"
if [ "$(id -u)" != 0 ]; then
  mkdir closed && chmod a-w closed
  refuse 3 'cannot write' "$tilec" good.tile -o closed/o.out --signature="$signature"
fi

# -- NumPy files -------------------------------------------------------------

# npy HEADER BYTES: a version 1 file.
npy() {
  length=$(printf '%s' "$1" | wc -c)
  printf '\223NUMPY\001\000'
  printf "\\$(printf %o "$length")\\000%s" "$1"
  head -c "$2" /dev/zero
}

# load PATTERN: runs the kernel on x.npy.
load() {
  refuse 3 "x.npy.*$1" "$tilec" run good.tile --device=cpu --grid=1 \
    --signature="$signature" --arg x=@x.npy --arg 'y=empty:fp32[16]' \
    --arg n=16 --save y=o.out
}

good="{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }"
npy "$good" 64 >x.npy
expect 0 '' "$tilec" run good.tile --device=cpu --grid=1 --arg x=@x.npy \
  --arg 'y=empty:fp32[16]' --arg n=16
npy "$good" 63 >x.npy
load 'truncated'
npy "$good" 64 | head -c 40 >x.npy
load 'truncated'
npy "$good" 64 | head -c 7 >x.npy
load 'not a .npy file'
npy "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 4), }" 64 >x.npy
load 'Fortran'
npy "{'descr': '>f4', 'fortran_order': False, 'shape': (4, 4), }" 64 >x.npy
load 'big-endian'
npy "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 4), }" 128 >x.npy
load 'fp64.*fp32'
npy "{'descr': '<c8', 'fortran_order': False, 'shape': (4, 4), }" 128 >x.npy
load 'not known'
npy "{'descr': '<f4', 'fortran_order': False, 'shape': (4," 64 >x.npy
load 'makes no sense'
echo 'no array' >x.npy
load 'not a .npy file'
rm x.npy
load 'No such file'

# -- Launches ----------------------------------------------------------------

# launch CODE PATTERN ARGUMENTS...
launch() {
  code=$1 pattern=$2
  shift 2
  refuse "$code" "$pattern" "$tilec" run good.tile --device=cpu "$@"
}
x='x=zeros:fp32[16]' y='y=zeros:fp32[16]'
launch 2 'grid' --grid=0 --arg $x --arg $y --arg n=16
launch 2 'grid' --grid=4294967296 --arg $x --arg $y --arg n=16
launch 2 'grid' --grid=1,0 --arg $x --arg $y --arg n=16
launch 2 'grid' --grid=-1 --arg $x --arg $y --arg n=16
launch 2 'grid' --grid=1 --grid=-1 --arg $x --arg $y --arg n=16
launch 2 'grid' --grid=1,1,1,1 --arg $x --arg $y --arg n=16
launch 2 "grid" --arg $x --arg $y --arg n=16
launch 2 "misses its argument 'n'" --grid=1 --arg $x --arg $y
launch 2 "--arg n: given twice" --grid=1 --arg $x --arg $y --arg n=1 --arg n=2
launch 1 "unknown name 'foo'" --grid=1 --arg $x --arg $y --arg n=1 -D BLOCK=foo
launch 2 "<signature>:1:8: error: 'foo' is not a type" --grid=1 --arg $x --arg $y --arg n=1 --signature='*fp32, foo, i32'
launch 2 "no such parameter" --grid=1 --arg $x --arg $y --arg n=1 --arg q=2
launch 2 "did you mean 'BLOCK'" --grid=1 --arg $x --arg $y --arg n=1 -D BLOK=2
launch 2 'makes no sense' --grid=1 --arg 'x=zeros:fp33[4]' --arg $y --arg n=1
launch 2 'neither a number' --grid=1 --arg x=many --arg $y --arg n=1
launch 2 'fit into 64 bits' --grid=1 --arg $x --arg $y --arg n=99999999999999999999
launch 2 'num-warps wants' --grid=1 --num-warps=3 --arg $x --arg $y --arg n=1
launch 4 'out of memory' --grid=1 --arg 'x=empty:fp32[1000000000000]' --arg $y --arg n=1

# A value that is used twice in each of many steps is planned once in each step.
cat >square.tile <<'END'
@jit
def square(x: *fp32):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    w = v
    for j in tl.static_range(60):
        v = v * v + w
    tl.store(x + i, v)
    tl.store(x + i + 64, v * w)
    tl.store(x + i + 64, tl.cumsum(v) + v)
END
expect 0 '' "$tilec" square.tile --emit=asm -o /dev/null

# LLVM would end the process over most of these.
for constraints in '={foo},r' '=r|h,r' '=*m,r' '=r,5' '=r,{r1}' '=r,^' '=r,&r' \
  '=r,#' '=,r' '=r,@3' 'r,=r' '=d,r' '=r,d' '=r,r,~{' '=r,~{memory},r'; do
  printf '%s\n' '@jit' 'def k(x: *i32):' \
    "    y = inline_asm_elementwise('mov.b32 \$0, \$1;', '$constraints'," \
    '                               [load(x)], int32, True, 1)' \
    '    store(x, y)' >asm.tile
  expect 1 'asm.tile:3:.*assembly' "$tilec" asm.tile --target=sm_80 -o o.out
done

finish
