def solution(levels):
    return [at for at in range(1, len(levels) - 1) if levels[at - 1] < levels[at] > levels[at + 1]]
