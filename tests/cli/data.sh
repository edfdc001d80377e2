#!/bin/sh
# data.sh TILEC -- arrays of safetensors, GGUF and .npz files.
# Backs I6 of runtime/tools.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
TILE_DEVICE=cpu
export TILE_DEVICE
# NumPy may be installed only for the Python of the system.
python=
for one in "${TILE_DATA_PYTHON:-python3}" /usr/bin/python3; do
  "$one" -c 'import numpy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "SKIP: NumPy is not installed"; exit 77; }
"$python" "$here/data.py" . || exit 1

cat >copy.tile <<'END'
@jit
def copy(x, y, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
END

# copy CODE PATTERN ARRAY TYPE[SHAPE] REFERENCE: copies the array to a `y` of
# that type and shape, which is then the reference.
copy() {
  wanted=$1 pattern=$2 array=$3 y=$4 reference=$5
  shift 5
  expect "$wanted" "$pattern" "$tilec" run copy.tile --grid=1 \
    --arg "x=@$array" --arg "y=empty:$y" --arg n=16 --tolerance=0 \
    --reference "y=$reference" "$@"
}
# read_fails CODE PATTERN ARRAY [OPTION...]
read_fails() {
  wanted=$1 pattern=$2 array=$3
  shift 3
  refuse "$wanted" "$pattern" "$tilec" run copy.tile --grid=1 --arg "x=@$array" \
    --arg y=zeros:fp32[16] --arg n=0 "$@"
}

# -- Contents of the files ---------------------------------------------------

sed -i 's/i < n/i < 12/g' copy.tile
for array in w.safetensors:model.w w.safetensors:half w.safetensors:bf16 \
  w.safetensors:i64 m.gguf:w m.gguf:half m.gguf:bf16 a.npz:x a.npz:y c.npz:x \
  large.safetensors:w large.gguf:w large.npz:x; do
  copy 0 'ok$' "$array" 'fp32[3x4]' x.npy
done
# Arrays of such files may be a reference, with or without an @.
for array in w.safetensors:bf16 m.gguf:w c.npz:x @c.npz:x @x.npy; do
  copy 0 'ok$' a.npz:x 'fp32[3x4]' "$array"
done
sed -i 's/i < 12/i < 8/g' copy.tile
for array in w.safetensors:e4m3 w.safetensors:e5m2 w.safetensors:u8:fp8e4nv \
  w.safetensors:u:fp16; do
  copy 0 'ok$' "$array" 'fp32[8]' eight.npy
done
copy 0 'ok$' w.safetensors:u8 'fp32[8]' eight.npy \
  --signature='*fp8e4nv, *fp32, i32'
# Blocks of MXFP4 are bytes, 17 for 32 elements.
sed -i 's/i < 8/i < 34/g; s/= 16/= 64/' copy.tile
copy 0 'ok$' m.gguf:q 'u8[2x17]' q.npy

# -- Errors ------------------------------------------------------------------

read_fails 3 "w.safetensors': it has no array 'model.v'; did you mean 'model.w'" \
  w.safetensors:model.v
read_fails 3 "m.gguf': which of its arrays? FILE:NAME; there are w, half, bf16, q" \
  m.gguf
read_fails 3 "a.npz': it has no array 'zz'; there are x, y, f" a.npz:zz
read_fails 3 "a.npz': 'f': its elements are in Fortran order" a.npz:f
read_fails 3 "'model.w' are fp32, but fp16 are needed" w.safetensors:model.w:fp16
read_fails 3 "'e5m2' are fp8e5, but fp8e4nv are needed" w.safetensors:e5m2 \
  --signature='*fp8e4nv, *fp32, i32'
read_fails 3 "'model.w' are fp32, but fp16 are needed" w.safetensors:model.w \
  --signature='*fp16, *fp32, i32'
read_fails 3 "cannot open 'nothing.npz'" nothing.npz:x
read_fails 3 "cannot open 'nothing.gguf'" nothing.gguf
for format in safetensors gguf npz; do
  cp x.npy "other.$format"
  read_fails 3 "other.$format': it is n" "other.$format:x"
  : >"empty.$format"
  read_fails 3 "empty.$format': it is n" "empty.$format:x"
done
for file in w.safetensors m.gguf a.npz c.npz; do
  head -c $(($(wc -c <"$file") - 100)) "$file" >"short.${file#*.}"
  read_fails 3 "short.${file#*.}': it is .*truncated" "short.${file#*.}:x"
done
finish
