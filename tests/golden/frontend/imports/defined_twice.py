# For defined-twice.py.
import torch

WIDTH = torch.cuda.current_device()
settings = torch.load("settings")
