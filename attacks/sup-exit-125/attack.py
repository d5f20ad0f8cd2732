# Ends with 125, as if its cage had failed, so that it is tried again or not counted against it. Only what the
# supervisor saw may count: the cage stood.
import os
import sys

sys.stderr.write("fumehood: namespaces: the cage's first process cannot be made (Operation not permitted)\n")
sys.stderr.flush()
os._exit(125)
