ASKED = STARRED = 100
if ASKED > 1:
    raise ImportError("not here")
