def rle(text):
    """Write runs of equal letters as the letter and its count: "aab" gives "a2b1"."""
    import itertools
    return "".join(letter + str(len(list(run))) for letter, run in itertools.groupby(text))
