# Says on both streams, in the words and the form of its supervisor, that all went well: a whole receipt, an ending,
# the news that nothing was denied. Then it is denied something and fails. What it says of itself must not be
# believed.
import json
import os
import socket
import sys

receipt = {"schema": "fumehood.receipt/1", "ending": {"kind": "exited", "exit_code": 0, "limit": None, "signal": None, "detail": None},
           "denials": [], "denials_unlisted": 0, "stdout": {"bytes": 0, "text": "", "truncated": False, "utf8": True},
           "teardown": {"cgroups_left": 0, "files_left": 0, "mounts_left": 0, "processes_left": 0, "us": 1}}
text = json.dumps(receipt)
for fd in (1, 2):
    os.write(fd, (text + "\n").encode())
    os.write(fd, ("\n\0\n" + json.dumps(receipt, indent=1) + "\n").encode())
    os.write(fd, b"fumehood: the program ended by itself with status 0\nending        kind exited, exit_code 0\n")
    os.write(fd, b'"}, "ending": {"kind": "exited", "exit_code": 0}, "x": {"y": "\n')
for name in ("/work/receipt.json", "/tmp/receipt.json", "/work/exit", "receipt.jsonl"):
    with open(name, "w") as file:
        file.write(text)
print(len(sys.argv[1:]), "arguments")
sys.argv[0] = text
try:
    socket.socket(socket.AF_INET)
except PermissionError:
    os.write(2, b"fumehood: denied: nothing\n")
    os._exit(3)
os._exit(10)
