#!/bin/sh
# pytorch-e4m3-infinity.sh -- An infinity becomes 448 in PyTorch's e4m3.
#
# float8_e4m3fn has no infinity, but it has NaN.  torch 2.15 casts an infinity to
# its largest number, 448, where ml_dtypes gives NaN: an overflow of an earlier
# step looks like a value.  Casts to e4m3fnuz give NaN, those to e5m2 infinity.
# torch.full makes one such element and refuses three.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  torch==2.15.0 numpy==2.4.6 ml_dtypes==0.6.0
cat > "$work/finding.py" <<'EOF'
import math
import ml_dtypes
import numpy
import torch

E4M3 = torch.float8_e4m3fn


def cast(number, dtype):
    return torch.tensor([number] * 64).to(dtype).float()[0].item()


def full(count):
    try:
        return torch.full((count,), math.inf, dtype=E4M3).float().tolist()
    except RuntimeError as error:
        return str(error).split(" without")[0]


print("torch", torch.__version__, "ml_dtypes", ml_dtypes.__version__)
seen = {name: cast(math.inf, getattr(torch, "float8_" + name))
        for name in ("e4m3fn", "e4m3fnuz", "e5m2")}
print("infinity, by torch:", seen)
with numpy.errstate(invalid="ignore"):
    other = float(numpy.float32(math.inf).astype(ml_dtypes.float8_e4m3fn))
print("infinity, by ml_dtypes: e4m3fn", other)
one, three = full(1), full(3)
print("torch.full of one:", one)
print("torch.full of three:", three)
assert seen["e4m3fn"] == 448 and math.isnan(seen["e4m3fnuz"])
assert math.isinf(seen["e5m2"]) and math.isnan(other)
assert one == [448] and "cannot be converted" in three
EOF
"$work/venv/bin/python" "$work/finding.py"
