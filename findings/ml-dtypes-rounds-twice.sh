#!/bin/sh
# ml-dtypes-rounds-twice.sh -- a double becomes the wrong bfloat16.
#
# ml_dtypes casts to bfloat16 and float8 through float32.  A double just above
# the middle of two neighbours is rounded onto the middle, and from there to
# even: the lower one, although the upper one is nearer.  An int32 loses its
# last bit alike.  NumPy's own double to float16 rounds once.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0
cat > "$work/finding.py" <<'EOF'
import sys
import ml_dtypes
import numpy as np

print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__)
ok = True
for name, digits in (("float16", 10), ("bfloat16", 7), ("float8_e4m3fn", 3),
                     ("float8_e5m2", 2)):
    dtype = getattr(ml_dtypes, name, np.float16)
    value = 1 + 2.0**-(digits + 1) + 2.0**-40
    got = float(np.float64(value).astype(dtype))
    nearest = 1 + 2.0**-digits
    print(f"{value!r:20} to {name:13} {got!r:12} nearest {nearest!r}")
    ok &= got == (nearest if name == "float16" else 1)

value = 2**30 + 2**22 + 1
got = int(np.int32(value).astype(ml_dtypes.bfloat16))
print(f"{value:<20} to bfloat16      {got} nearest {2**30 + 2**23}")
sys.exit(not (ok and got == 2**30))
EOF
"$work/venv/bin/python" "$work/finding.py"
