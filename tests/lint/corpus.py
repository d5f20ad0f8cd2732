"""corpus.py - attacks/corpus.tsv and the attacks agree

corpus.tsv    every row has an ID of its own and says where; every attack, test, risk and later part that it names exists
attacks       every word of `covers` is an ID whose row names the attack, or it is "own" alone; and every attack that a
              row names has that ID among them
"""
import re

from common import Faults, files, line_of, root

OWN = "own"
LATER = ("broker", "artifact", "evaluation", "remote", "tier")
ID = re.compile(r"(fs|net|proc|kern|sec|res|out|sup|eval)(-[a-z0-9]+)+$")
COVERS = re.compile(r"^covers:[ \t]*\[(.*)\]", re.M)


def read_rows(path, faults):
    """{id: (line, [where])}"""
    rows = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        faults.looked_at += 1
        row, *columns = line.split("\t")
        where = columns[0].split() if columns else []
        if not ID.match(row) or len(columns) not in (1, 2) or not where:
            faults.add(path, number, "is not ID, WHERE and perhaps a remark")
        if row in rows:
            faults.add(path, number, f"{row} stands twice")
        rows[row] = (number, where)
    return rows


def read_covers(top):
    """{attack: (path, line, [id])}"""
    found = {}
    for path in files(top / "attacks", "expect.yaml"):
        text = path.read_text()
        covers = COVERS.search(text)
        found[path.parent.name] = (path, line_of(text, covers.start()) if covers else 1,
                                   re.findall(r"[\w-]+", covers.group(1)) if covers else [])
    return found


def test_exists(top, word):
    path, _, name = word.partition("::")
    path = top / "tests" / path
    if not path.is_file() or bool(name) != word.startswith("story/"):
        return False
    return not name or re.search(rf"^def {name}\(", path.read_text(), re.M) is not None


def fault_of(top, word, row, attacks, risks):
    """What is wrong with one word of a WHERE; None."""
    kind, _, rest = word.partition(":")
    if word.startswith(("story/", "unit/")):
        return None if test_exists(top, word) else f"there is no test {word}"
    if kind == "risk":
        return None if rest in risks else f"the risk {rest} is not in residuals.def"
    if kind == "later":
        return None if rest in LATER else f"{rest} is no part that comes later"
    if word not in attacks:
        return f"there is no attack {word}"
    return None if row in attacks[word][2] else f"{word} does not have it among its covers"


def main():
    top = root()
    faults, path = Faults(top), top / "attacks/corpus.tsv"
    rows, attacks = read_rows(path, faults), read_covers(top)
    risks = re.findall(r'^RESIDUAL\("([a-z-]+)"', (top / "src/cage/residuals.def").read_text(), re.M)
    for row, (line, where) in rows.items():
        for word in where:
            fault = fault_of(top, word, row, attacks, risks)
            if fault:
                faults.add(path, line, f"{row}: {fault}")
    for name, (place, line, covers) in attacks.items():
        if not covers or (OWN in covers and len(covers) > 1):
            faults.add(place, line, f"covers rows of corpus.tsv, or is [{OWN}]")
        for word in covers:
            if word != OWN and name not in rows.get(word, (0, []))[1]:
                faults.add(place, line, f"{word} is no row of corpus.tsv that names it")
    faults.end()


main()
