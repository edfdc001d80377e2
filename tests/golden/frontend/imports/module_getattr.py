WIDTH = 1


class Cuda:
    def is_rocm(self):
        return False


def __getattr__(name):
    if name in ("platform", "other"):
        return Cuda()
    raise AttributeError(name)
