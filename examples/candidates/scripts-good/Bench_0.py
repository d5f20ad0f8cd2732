def ring_distance(a, b, size):
    """Steps between places a and b on a ring of the given size, the shorter way round.
    >>> ring_distance(1, 9, 10)
    2
    """
    ahead = (b - a) % size
    return min(ahead, size - ahead)
