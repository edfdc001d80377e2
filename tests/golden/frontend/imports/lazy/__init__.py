import importlib

from .lazy import Lazy

settings = importlib.import_module(".conf", __package__)
settings.WIDTH = 32
