def ring_distance(a, b, size):
    return abs(a - b)
