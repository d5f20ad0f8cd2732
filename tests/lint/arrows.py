"""arrows.py - the arrows of cmake/rooms.cmake, the includes of src/ and the picture in ARCHITECTURE.md agree

A room may include its own headers and those of rooms that it names; a header that other rooms include may name only
what its room EXPOSES; an arrow that nobody walks is a fault, except at the front doors, which may see all; there are no
circles.
"""
import re

from common import Faults, files, line_of, room_of, root

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
ROOM = re.compile(r"^room\(([^)]*)\)", re.M)
BLOCK = re.compile(r"^```[a-z]*\n((?:[a-z/]+[ \t]*->[^\n]*\n)+)```", re.M)


def read_rooms(path):
    """{room: (exposed, used)}"""
    rooms = {}
    for match in ROOM.finditer(path.read_text()):
        words = match.group(1).split()
        lists = {"EXPOSES": [], "USES": [], "SOURCES": [], "LIBRARIES": []}
        current = None
        for word in words[1:]:
            if word in lists:
                current = lists[word]
            else:
                current.append(word)
        rooms[words[0]] = (set(lists["EXPOSES"]), set(lists["USES"]))
    return rooms


def public_headers(top):
    """Headers that another room includes, and those of their own room that they include in turn."""
    includes = {}
    for path in files(top / "src", "*.c", "*.h", "*.def"):
        includes[path] = [top / "src" / name for name in INCLUDE.findall(path.read_text())]
    public = {target for path, targets in includes.items() for target in targets
              if target in includes and room_of(target, top) != room_of(path, top)}
    waiting = list(public)
    while waiting:
        for target in includes[waiting.pop()]:
            if target in includes and target not in public:
                public.add(target)
                waiting.append(target)
    return public


def check_includes(top, rooms, faults):
    """Returns the arrows that are walked."""
    walked, public = {name: set() for name in rooms}, public_headers(top)
    for path in files(top / "src", "*.c", "*.h", "*.def"):
        room, text = room_of(path, top), path.read_text()
        faults.looked_at += 1
        if room not in rooms:
            faults.add(path, 1, f"there is no room {room} in cmake/rooms.cmake")
            continue
        exposed, used = rooms[room]
        for match in INCLUDE.finditer(text):
            line, target = line_of(text, match.start()), match.group(1).rpartition("/")[0]
            if not target or ".." in match.group(1):
                faults.add(path, line, f'"{match.group(1)}" does not begin with a room')
            elif target == room:
                continue
            elif target not in exposed | used:
                faults.add(path, line, f'"{match.group(1)}": {room} has no arrow to {target}')
            elif path in public and target not in exposed:
                faults.add(path, line, f'"{match.group(1)}": a header of {room} may not pass {target} on: it is only USED')
            walked[room].add(target)
    return walked


def check_circles(path, rooms, faults):
    done, busy = set(), []

    def visit(room):
        if room in busy:
            faults.add(path, 1, "a circle: " + " -> ".join(busy[busy.index(room):] + [room]))
        elif room not in done:
            busy.append(room)
            for target in sorted(rooms[room][0] | rooms[room][1]):
                if target in rooms:
                    visit(target)
                else:
                    faults.add(path, 1, f"{room} -> {target}: there is no such room")
            done.add(busy.pop())

    for room in sorted(rooms):
        visit(room)


def check_picture(top, rooms, faults):
    path = top / "ARCHITECTURE.md"
    if not path.exists():
        print("ARCHITECTURE.md is not there: its picture was not compared")
        return
    match = BLOCK.search(path.read_text())
    if not match:
        faults.add(path, 1, 'there is no block of lines "room -> room room"')
        return
    drawn = {}
    for line in match.group(1).splitlines():
        room, targets = line.split("->")
        drawn[room.strip()] = set(re.sub(r"\(nothing\)", "", targets).split())
    for room in sorted(set(drawn) | set(rooms)):
        real = set().union(*rooms[room]) if room in rooms else set()
        for missing in sorted(real - drawn.get(room, set())):
            faults.add(path, 1, f"{room} -> {missing} is in cmake/rooms.cmake and not here")
        for extra in sorted(drawn.get(room, set()) - real):
            faults.add(path, 1, f"{room} -> {extra} is here and not in cmake/rooms.cmake")
        if (room in drawn) != (room in rooms):
            faults.add(path, 1, f"the room {room} is only in {'this picture' if room in drawn else 'cmake/rooms.cmake'}")


def main():
    top = root()
    faults, path = Faults(top), top / "cmake/rooms.cmake"
    rooms = read_rooms(path)
    walked = check_includes(top, rooms, faults)
    for room, (exposed, used) in sorted(rooms.items()):
        for target in sorted((exposed | used) - walked[room] if not room.startswith("front/") else []):
            faults.add(path, 1, f"{room} -> {target}: nothing in {room} includes it")
    check_circles(path, rooms, faults)
    check_picture(top, rooms, faults)
    faults.end()


main()
