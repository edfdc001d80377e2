import raising_imports

DEEP = 100
