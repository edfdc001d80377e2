import triton

import import_effects_deep
import import_effects_values as values
from import_effects_values import GROWN, KEPT, MINE

values.YOURS = 2
GROWN.append(KEPT)
MINE = [3]
import_effects_deep.call()
