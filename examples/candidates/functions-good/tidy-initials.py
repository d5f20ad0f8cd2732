def solution(name):
    words = name.split()
    if not words:
        return ""
    short = [word[0].upper() + "." for word in words[:-1]]
    return " ".join(short + [words[-1][0].upper() + words[-1][1:]])
