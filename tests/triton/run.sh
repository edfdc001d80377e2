#!/bin/sh
# run.sh PYTHON LIBTILESIM CHIP KERNELS -- run.py by a Python that has Triton.
set -eu
python=${TILE_TRITON_PYTHON:-$1}
if ! command -v "$python" >/dev/null; then
  echo "SKIP: there is no $python"
  exit 77
fi
shift
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$(dirname "$0")/run.py" "$@"
