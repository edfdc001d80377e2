# The third of the circle.
from star_circle import *
from star_circle_back import *

DEPTH = 3
