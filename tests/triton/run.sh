#!/bin/sh
# run.sh PYTHON SCRIPT ARGUMENTS -- a script beside it by a Python that has Triton.
set -eu
python=${TILE_TRITON_PYTHON:-$1} script=$2
if ! command -v "$python" >/dev/null; then
  echo "SKIP: there is no $python"
  exit 77
fi
shift 2
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$(dirname "$0")/$script" "$@"
