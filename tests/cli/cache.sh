#!/bin/sh
# cache.sh TILEC -- compiled kernels that are kept on disk, and `tilec cache`.
. "$(dirname "$0")/expect.sh"

TILE_CACHE_DIR=$work/kept
export TILE_CACHE_DIR

cat >add.tile <<'END'
from helpers import twice

@jit
def add(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, twice(tl.load(x + i, mask=i < n)), mask=i < n)
END
mkdir lib && cat >lib/helpers.tile <<'END'
@jit
def twice(x):
    return x + x
END

types='*fp32:16, *fp32:16, i32'
add() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" "$tilec" add.tile -I lib --signature="$types" "$@"
}

# entries N: so many entries are kept.
entries() {
  expect 0 "^entries  $1\$" "$tilec" cache stats
}

# same A B
same() {
  what="$1 and $2"
  if cmp -s "$1" "$2"; then passed=$((passed + 1)); else complain 'they differ'; fi
}

# launched PATTERN ARGUMENTS...: add.tile on 16 numbers.
launched() {
  pattern=$1
  shift
  expect 0 "$pattern" "$tilec" run add.tile -I lib --device=cpu --grid=1 \
    --arg x=full\(3\):fp32[16] --arg y=empty:fp32[16] --arg n=16 --save y=y.npy "$@"
}

# -- Compilations ------------------------------------------------------------

entries 0
expect 0 '' "$tilec" cache list
what='looking makes no folder'
if [ -e kept ]; then complain 'kept is there'; else passed=$((passed + 1)); fi
add 0 '' -o one.o
add 0 '' -o two.o
add 0 '' -o off.o --cache-dir=off
same one.o two.o
same one.o off.o
entries 1
add 0 'it is in the cache' -v -o two.o
for target in sm_80 sm_90; do
  add 0 '' --target=$target -o $target.ptx
  add 0 '' --target=$target -o again.ptx
  same $target.ptx again.ptx
done
entries 3
add 0 '' --emit=llvm -o one.ll
add 0 '' --cpu=x86-64 -o old.o
add 0 '' --target=sm_80 -lineinfo -o lines.ptx
add 0 '' --target=sm_80 --maxnreg=64 -o few.ptx
add 0 '' --target=sm_80 --ptx-version=8.3 -o new.ptx
add 0 '' --target=sm_80 --num-warps=8 -o warps.ptx
entries 9
add 0 '' --emit=ir -o one.tir # IR is not kept, nor are texts about passes
add 0 'total$' --time-passes -o three.o
entries 9
same one.o three.o

# The rule of -MD also has the files that the frontend has not read, as the code
# came from the cache.
add 0 '' -MD -o rule.o
expect 0 '' grep -q 'rule.o: add.tile lib/helpers.tile' rule.d

# -- Cubins ------------------------------------------------------------------

cat >ptxas <<'END'
#!/bin/sh
echo run >>"$0.runs"
while [ "$1" != -o ]; do shift; done
cat "$3" >"$2"
END
chmod +x ptxas
runs() {
  what="ptxas ran $1 times"
  if [ "$(wc -l <ptxas.runs)" = "$1" ]; then passed=$((passed + 1)); else complain "$(wc -l <ptxas.runs)"; fi
}
export TILE_PTXAS="$work/ptxas"
add 0 '' --target=sm_80 --emit=cubin -o one.cubin
add 0 '' --target=sm_80 --emit=cubin -o two.cubin
same one.cubin two.cubin
runs 1
add 0 '' --target=sm_80 -lineinfo --emit=cubin -o two.cubin
runs 2
echo '# another ptxas' >>ptxas
add 0 '' --target=sm_80 --emit=cubin -o two.cubin
runs 3
echo 'echo "ptxas warning : odd"' >>ptxas
add 0 'odd' --target=sm_80 --emit=cubin -o two.cubin
add 0 'odd' --target=sm_80 --emit=cubin -o two.cubin
runs 5
unset TILE_PTXAS
expect 0 '0 broken' "$tilec" cache verify

# -- Imports -----------------------------------------------------------------

cp sm_80.ptx before.ptx
sed 's/x + x/x + x + x/' lib/helpers.tile >changed && mv changed lib/helpers.tile
add 0 '' --target=sm_80 -o after.ptx
what='a change of an import'
if cmp -s before.ptx after.ptx; then complain 'it is not seen'; else passed=$((passed + 1)); fi
echo 'x = missing' >helpers.tile # before that of lib
expect 1 'missing\|twice' "$tilec" add.tile -I lib --signature="$types" --target=sm_80
rm helpers.tile

# -- Launches ----------------------------------------------------------------

expect 0 'removed' "$tilec" cache clear
launched ''
cp y.npy first.npy
launched 'tilec: loaded add for cpu in ' -v
same first.npy y.npy
entries 1
launched '' --cache-dir="$work/other"
same first.npy y.npy
expect 0 ' cpu .* add of add.tile$' "$tilec" cache list --cache-dir="$work/other"

# Messages of a compilation are repeated when its code comes from the cache.
cat >width.tile <<'END'
from host import WIDTH

@jit
def width(y: *i32):
    tl.static_print('width', WIDTH)
    tl.store(y, WIDTH)
END
width() {
  expect "$1" "$2" "$tilec" run width.tile --device=cpu --grid=1 \
    --arg y=empty:i32[1] --save y=w.npy "$3"
  cp err "$4"
}
width 0 'width.* 5' -DWIDTH=5 first
width 0 'width.* 5' -DWIDTH=5 second
same first second
width 0 'width.* 6' -DWIDTH=6 third
width 2 'WIDTH' -DOTHER=6 first
width 2 'WIDTH' -DOTHER=6 second
same first second

# -- The command -------------------------------------------------------------

expect 0 'usage: tilec cache' "$tilec" cache --help
expect 2 'no command' "$tilec" cache
expect 2 "did you mean 'clear'" "$tilec" cache claer
expect 2 'there are list' "$tilec" cache sweeten
expect 2 "'--grid=1' is an option of 'tilec run'" "$tilec" cache list --grid=1
expect 2 "is an option of 'tilec' and" "$tilec" cache list --kernel=k
expect 2 'there is no cache' "$tilec" cache list --cache-dir=off
expect 3 'standard output' sh -c "'$tilec' cache stats >/dev/full"

# -- How much ----------------------------------------------------------------

expect 0 '^limit    1073741824$' "$tilec" cache stats
expect 0 '^limit    524288000$' "$tilec" cache stats --cache-size=500M
expect 0 '^limit    2000$' env TILE_CACHE_SIZE=2000 "$tilec" cache stats
expect 0 '^limit    3072$' env TILE_CACHE_SIZE=2000 "$tilec" cache stats --cache-size=3K
expect 2 "^tilec: error: --cache-size wants bytes.*found '2X'" "$tilec" cache stats --cache-size=2X
for size in 0 '' -1 1.5G 99999999T 99999999999999999999 2GG; do
  expect 2 'wants bytes' "$tilec" cache stats --cache-size="$size"
done
expect 2 "TILE_CACHE_SIZE wants bytes.*found 'big'" env TILE_CACHE_SIZE=big "$tilec" cache stats
"$tilec" cache clear >/dev/null
echo '@jit
def twice(x):
    return x * 2' >helpers.tile
add 0 '' -o one.o --cache-size=1K
entries 0
add 0 '' -o one.o --cache-size=1M
entries 1
expect 0 '0 broken' "$tilec" cache verify
file=$(find kept -type f | head -n 1)
printf x | dd of="$file" bs=1 seek=99 conv=notrunc 2>/dev/null
expect 0 'broken' "$tilec" cache list
expect 3 '^1 of .* are broken\|1 broken' "$tilec" cache verify
expect 0 '0 broken' "$tilec" cache verify
add 0 '' -o one.o

# A process was killed while it wrote an entry.
left() {
  what='what was left behind'
  if [ -e kept/tile-tmp-1-2-3 ]; then complain 'it is there'; else passed=$((passed + 1)); fi
}
: >kept/tile-tmp-1-2-3
expect 0 '^strays   1$' "$tilec" cache stats
expect 0 '^1 entry, 0 broken, 1 unfinished$' "$tilec" cache verify
left
: >kept/tile-tmp-1-2-3
add 0 'it is in the cache' -v -o one.o
left
expect 0 '^1 entry, 0 broken$' "$tilec" cache verify
touch kept/keep.txt
expect 0 'removed' "$tilec" cache clear
entries 0
expect 0 '' test -e kept/keep.txt

# -- Folders that cannot be made ---------------------------------------------

ln -s nowhere/at/all gone
launched 'cannot keep add: No such file' -v --cache-dir="$work/gone/x"
launched '' --cache-dir="$work/gone/x"
expect 0 '' test ! -s err

# -- Folders of which nothing can be removed ----------------------------------

# An administrator can, everywhere.
user=
if [ "$(id -u)" = 0 ]; then user='setpriv --reuid=65534 --clear-groups'; fi
chmod 755 .
if $user "$tilec" --version >/dev/null 2>&1; then
  rm kept/keep.txt
  add 0 '' -o one.o
  file=$(find kept -type f)
  printf x | dd of="$file" bs=1 seek=99 conv=notrunc 2>/dev/null
  if [ -n "$user" ]; then chown -R 65534 kept; fi
  chmod 500 "${file%/*}"
  denied='error: files that cannot be removed: 1, in .*kept: Permission denied'
  expect 3 "$denied" $user "$tilec" cache clear
  expect 3 '^0 files removed' $user "$tilec" cache clear
  expect 3 "$denied" $user "$tilec" cache verify
  expect 3 '^1 entry, 1 broken$' $user "$tilec" cache verify
  chmod 700 "${file%/*}"
  expect 0 '^1 file removed' $user "$tilec" cache clear
  rm -rf kept
  add 0 '' -o one.o
else
  echo 'SKIP (part): another user cannot run tilec'
fi

# -- Folders that are not used -----------------------------------------------

chmod 770 kept
add 0 'warning: the folder .* is not used: other users may write' -o one.o
expect 3 'other users may write' "$tilec" cache list
chmod 700 kept
add 0 '' -o one.o
entries 1
add 0 "warning: the folder '/dev/null' is not used" --cache-dir=/dev/null -o two.o
same one.o two.o
expect 0 '' env HOME="$work" TILE_CACHE_DIR= XDG_CACHE_HOME= \
  "$tilec" add.tile -I lib --signature="$types" -o one.o
expect 0 '' test -d .cache/tile
expect 0 '' env TILE_CACHE_DIR= XDG_CACHE_HOME="$work/xdg" \
  "$tilec" add.tile -I lib --signature="$types" -o one.o
expect 0 '' test -d xdg/tile

finish
