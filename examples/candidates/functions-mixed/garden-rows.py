# hangs: never moves on
def solution(plants, per_row):
    rows = []
    while True:
        rows = [plants[:per_row]]
    return rows
