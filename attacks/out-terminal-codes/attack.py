# Prints what clears the screen, sets titles and links, fills the clipboard, asks the terminal to answer, and hides
# text. Whoever keeps output must keep it exactly; if bytes were lost or changed, nobody could say afterwards what
# was printed.
import os

CODES = ("\x1b[2J\x1b[H\x1b]0;title\x07\x1b]8;;file:///etc/passwd\x1b\\link\x1b]8;;\x1b\\\x1b]52;c;ZHJpbGw=\x07\x1bP+q544e\x1b\\"
         "\u009b31m\x1b[6n\x1b[?1049h\u202e\u2066\u200b\ufeff\r\b\v\f\x7f\x0e\x0f\n")
os.write(1, CODES.encode())
os.write(2, b"\x1b]0;fumehood: all is well\x07\x1b[1A\x1b[2K\rfumehood: nothing was denied\x1b[8m")
