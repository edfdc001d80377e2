# For star-names.py.
__all__ = ["inner"]
