# Imported by star-circle.py, which it imports.
from star_circle_back import *

WIDTH = 16
