def solution(words):
    seen = set("".join(words).lower())
    return next((letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in seen), "")
