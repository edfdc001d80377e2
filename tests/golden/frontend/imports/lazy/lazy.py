import importlib


class Lazy:
    def get(self, name, value):
        setattr(self, name, value)
        return importlib.import_module("." + name, self.__name__)
