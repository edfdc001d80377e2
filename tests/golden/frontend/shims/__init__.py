# What import-cycle.py imports: a package whose module imports it.
from shims.helper import SIZE, WIDTH, patched, shim
