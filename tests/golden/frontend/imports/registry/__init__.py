import set_while_found


def register(module, name, value):
    setattr(module, name, value)


register(set_while_found, "VERSION", 2)

DEFAULT = 128 if not hasattr(set_while_found, "BLOCK") else set_while_found.BLOCK
