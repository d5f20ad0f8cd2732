def solution(hours):
    total = {}
    for name, count in hours:
        total[name] = total.get(name, 0) + count
    return total
