('a' \
 r'b')
'''x'''' ; from __future__ import a