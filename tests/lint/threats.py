"""threats.py - what is claimed about threats, the attacks that prove it and what is written about both agree

threats.def   every glob matches an attack; every attack is claimed by a threat; every word of a prevention that some
              attack proves is proved by an attack of the same row; an attack that is known to succeed is claimed where a
              risk is said to remain; every risk is one of residuals.def; every test exists; what is not built claims
              nothing
documents     every attack that they name exists; SECURITY.md and docs/threat-model.md name every risk, the latter also
              every threat, every attack that is known to succeed, and every attacker of attackers.def as a heading
"""
import fnmatch
import re

from common import Faults, files, line_of, root

STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"|(,)')
ROW = re.compile(r"^THREAT\((.*?)\)$", re.M | re.S)
COLUMNS = "id attacker wants prevention detection recovery drill tests residual remark".split()
NAME = re.compile(r"`((?:fs|kern|net|out|proc|res|sec|sup)-[a-z0-9*-]+)`")


def read_attacks(top):
    """{name: (what it proves, whether it is known to succeed)}"""
    found = {}
    for path in files(top / "attacks", "expect.yaml"):
        text = path.read_text()
        proves = re.search(r"^proves:[ \t]*\[(.*)\]", text, re.M)
        found[path.parent.name] = (set(re.findall(r"\w+", proves.group(1))) if proves else set(),
                                   bool(re.search(r"^residual:", text, re.M)))
    return found


def read_threats(path):
    """[(line, {column: text} or None)]"""
    rows, text = [], path.read_text()
    for match in ROW.finditer(text):
        columns = [""]
        for string, comma in STRINGS.findall(match.group(1)):
            if comma:
                columns.append("")
            columns[-1] += string
        rows.append((line_of(text, match.start()), dict(zip(COLUMNS, columns)) if len(columns) == len(COLUMNS) else None))
    return rows


def read_residuals(path):
    return re.findall(r'^RESIDUAL\("([a-z-]+)"', path.read_text(), re.M)


def read_attackers(path):
    """{word: heading}"""
    return dict(re.findall(r'^ATTACKER\("([a-z]+)", "(.*)"\)', path.read_text(), re.M))


def is_test(top, word):
    """Whether files below tests/ have this name, or one has the test FILE::TEST."""
    name, _, test = word.partition("::")
    found = [path for end in ("c", "py") for path in (top / "tests").glob(f"{name}.{end}")]
    return any(re.search(rf"\b{test}\(", path.read_text()) for path in found) if test else bool(found)


def matching(glob, attacks):
    return {name for name in attacks if fnmatch.fnmatchcase(name, glob)}


def check_proof(path, line, row, faults):
    """What is claimed is proved, what is not built claims nothing, and the tests are there."""
    claims = row["prevention"] not in ("", "unbuilt")
    if claims != bool(row["drill"] or row["tests"]):
        faults.add(path, line, f"{row['id']}: " + ("nothing proves it" if claims else "claims nothing, and names a proof"))
    for word in row["tests"].split():
        if not is_test(faults.top, word):
            faults.add(path, line, f"{row['id']}: there is no test {word}")


def check_row(path, line, row, attacks, residuals, faults):
    """Returns the attacks that it claims."""
    claimed = set()
    check_proof(path, line, row, faults)
    for glob in row["drill"].split():
        found = matching(glob, attacks)
        if not found:
            faults.add(path, line, f"{row['id']}: there is no attack {glob}")
        claimed |= found
    proved_here = set().union(*(attacks[name][0] for name in claimed)) if claimed else set()
    proved = set().union(*(proves for proves, _ in attacks.values())) if attacks else set()
    words = {re.sub("^landlock_.*", "landlock", word) for word in row["prevention"].split()}
    for word in sorted((words & proved) - proved_here):
        faults.add(path, line, f"{row['id']}: none of its attacks proves {word}")
    for name in sorted(claimed):
        proves, succeeds = attacks[name]
        if succeeds and not row["residual"]:
            faults.add(path, line, f"{row['id']}: {name} is known to succeed, and nothing is said to remain")
        if not succeeds and not proves & words:
            faults.add(path, line, f"{row['id']}: {name} proves nothing of its prevention")
    for word in row["residual"].split():
        if word not in residuals:
            faults.add(path, line, f"{row['id']}: the risk {word} is not in residuals.def")
    return claimed


def check_document(path, wanted, attacks, faults):
    text = path.read_text() if path.exists() else ""
    faults.looked_at += 1
    for match in NAME.finditer(text):
        if not matching(match.group(1), attacks):
            faults.add(path, line_of(text, match.start()), f"there is no attack {match.group(1)}")
    for word in wanted:
        if f"`{word}`" not in text:
            faults.add(path, 1, f"does not speak of {word}")


def main():
    top = root()
    faults, attacks = Faults(top), read_attacks(top)
    path = top / "src/threat/threats.def"
    residuals, threats, claimed = read_residuals(top / "src/cage/residuals.def"), read_threats(path), set()
    attackers = read_attackers(top / "src/threat/attackers.def")
    for line, row in threats:
        faults.looked_at += 1
        if not row or row["attacker"] not in attackers:
            faults.add(path, line, "is not a row that can be read")
            continue
        claimed |= check_row(path, line, row, attacks, residuals, faults)
    for name in sorted(set(attacks) - claimed):
        faults.add(top / "attacks" / name / "expect.yaml", 1, "no threat claims this attack")
    known = [name for name, (_, succeeds) in sorted(attacks.items()) if succeeds]
    check_document(top / "SECURITY.md", residuals, attacks, faults)
    model = top / "docs/threat-model.md"
    check_document(model, residuals + known + [row["id"] for _, row in threats if row], attacks, faults)
    for heading in attackers.values():
        if f"\n## {heading}\n" not in model.read_text():
            faults.add(model, 1, f"has no heading {heading}")
    for path in [top / "README.md", *files(top / "docs", "*.md")]:
        if path.name != "threat-model.md":
            check_document(path, [], attacks, faults)
    faults.end()


main()
