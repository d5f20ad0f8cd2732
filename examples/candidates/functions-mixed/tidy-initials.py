# wrong: forgets every word between the first and the last
def solution(name):
    words = name.split()
    if not words:
        return ""
    last = words[-1].capitalize()
    return last if len(words) == 1 else words[0][0].upper() + ". " + last
