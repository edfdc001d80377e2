#!/bin/sh
# pytorch-e8m0-sign.sh -- PyTorch takes the scale of -3 to be 4.
#
# float8_e8m0fnu holds powers of two: no sign, no zero.  A cast from float32 in
# torch 2.15 drops the sign and makes a zero the smallest scale; ml_dtypes gives
# NaN for both.
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

NUMBERS = [3.0, -3.0, -1.0, 0.0]


def by_torch(number):
    return torch.tensor([number]).to(torch.float8_e8m0fnu).float().item()


def by_ml_dtypes(number):
    with numpy.errstate(invalid="ignore"):
        return float(numpy.float32(number).astype(ml_dtypes.float8_e8m0fnu))


print("torch", torch.__version__, "ml_dtypes", ml_dtypes.__version__)
ours = [by_torch(number) for number in NUMBERS]
others = [by_ml_dtypes(number) for number in NUMBERS]
for row in zip(NUMBERS, ours, others):
    print("%g: torch %g, ml_dtypes %g" % row)
assert ours == [4, 4, 1, 2.0 ** -127]
assert others[0] == 4 and all(math.isnan(other) for other in others[1:])
EOF
"$work/venv/bin/python" "$work/finding.py"
