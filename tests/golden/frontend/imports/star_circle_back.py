# Imported by star_circle.py, which it imports.
from star_circle import *
from star_circle_deep import *

HEIGHT = WIDTH // 2
