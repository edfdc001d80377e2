def avail(name):
    pass
