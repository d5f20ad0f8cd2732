def tally(votes):
    return min(set(votes), key=lambda name: (-votes.count(name), name), default=None)
