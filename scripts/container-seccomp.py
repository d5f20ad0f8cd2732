#!/usr/bin/python3
"""container-seccomp.py PROFILE - a container engine's own seccomp profile, with the calls added that a cage is built with

PROFILE is Docker's seccomp/default.json or Podman's /usr/share/containers/seccomp.json; the new one goes to stdout.
"""
import json
import sys

# What fumehood itself uses and such profiles refuse. A cage's own filter refuses every one of them to the guest.
CALLS = ("clone clone3 fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree pidfd_getfd pivot_root "
         "sethostname setns umount2 unshare").split()


def without(rule):
    """The rule for what is left of its calls: two rules for one call are an error to some engines."""
    return {**rule, "names": [name for name in rule["names"] if name not in CALLS]}


def main():
    if len(sys.argv) == 2 and sys.argv[1] in ("-h", "--help"):
        sys.exit(print(__doc__))
    if len(sys.argv) != 2:
        sys.exit("usage: container-seccomp.py PROFILE >fumehood-seccomp.json")
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            profile = json.load(file)
        rules = [rule for rule in map(without, profile["syscalls"]) if rule["names"]]
    except (OSError, ValueError, KeyError, TypeError) as why:
        sys.exit("container-seccomp.py: %s: no seccomp profile of a container engine: %s" % (sys.argv[1], why))
    profile["syscalls"] = rules + [{"names": CALLS, "action": "SCMP_ACT_ALLOW"}]
    json.dump(profile, sys.stdout, indent=1)
    print()


main()
