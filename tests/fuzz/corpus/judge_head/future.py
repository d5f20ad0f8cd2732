#!/x
"""doc"""
from __future__ import (a, # c
 b); x = 1
