def next_gap(taken):
    """The smallest number, 0 or more, that is not in the list."""
    seen = set(taken)
    number = 0
    while number in seen:
        number += 1
    return number
