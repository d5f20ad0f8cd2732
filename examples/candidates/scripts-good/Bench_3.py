def weigh(left, right):
    """Compare two lists of weights: -1 when the left side is lighter, 1 when it is heavier, else 0."""
    return (sum(left) > sum(right)) - (sum(left) < sum(right))
