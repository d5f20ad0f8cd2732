# right answers, but it sorts the caller's list
def solution(shifts):
    shifts.sort()
    merged = []
    for start, end in shifts:
        if merged and start <= merged[-1][1]:
            merged[-1] = [merged[-1][0], max(merged[-1][1], end)]
        else:
            merged.append([start, end])
    return merged
