def solution(plants, per_row):
    return [plants[at:at + per_row] for at in range(0, len(plants), per_row)]
