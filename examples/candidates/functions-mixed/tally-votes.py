# not Python at all
def tally(votes)
    return votes[
