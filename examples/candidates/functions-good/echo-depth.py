def solution(value):
    if not isinstance(value, list):
        return 0
    return 1 + max((solution(item) for item in value), default=0)
