#!/bin/sh
# safetensors-numpy-bf16.sh -- safetensors.numpy saves bfloat16, cannot load it.
#
# save() takes the types of ml_dtypes and writes the right names into the
# header.  load() has no row for those names: a KeyError, for a file it wrote
# itself.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0 safetensors==0.8.0
cat > "$work/finding.py" <<'EOF'
import sys
import ml_dtypes
import numpy as np
import safetensors
from safetensors.numpy import load, save

print("safetensors", safetensors.__version__, "numpy", np.__version__,
      "ml_dtypes", ml_dtypes.__version__)
ok = True
for name, code in (("bfloat16", "BF16"), ("float8_e4m3fn", "F8_E4M3"),
                   ("float8_e5m2", "F8_E5M2"), ("float8_e8m0fnu", "F8_E8M0")):
    data = save({"a": np.ones(4, getattr(ml_dtypes, name))})
    saved = f'"dtype":"{code}"'.encode() in data
    try:
        result = load(data)["a"].dtype
    except KeyError as error:
        result = f"KeyError: {error}"
    print(f"{name:14} saved as {code}: {saved}; load: {result}")
    ok &= saved and result == f"KeyError: '{code}'"
sys.exit(not ok)
EOF
"$work/venv/bin/python" "$work/finding.py"
