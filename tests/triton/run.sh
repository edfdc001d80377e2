#!/bin/sh
# run.sh SCRIPT PYTHON ARGUMENT... -- a script by a Python that has Triton.
set -eu
script=$1
python=${TILE_TRITON_PYTHON:-$2}
if ! command -v "$python" >/dev/null; then
  echo "SKIP: there is no $python"
  exit 77
fi
shift 2
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$(dirname "$0")/$script" "$@"
