# A package that import-cycle.py imports, and whose module imports it.
from shims.helper import SIZE, WIDTH, patched, shim
