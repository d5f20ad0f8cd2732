def solution(rain):
    longest = run = 0
    for drops in rain:
        run = run + 1 if drops == 0 else 0
        longest = max(longest, run)
    return longest
