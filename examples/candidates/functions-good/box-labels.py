def solution(number):
    label = ""
    while number > 0:
        number, letter = divmod(number - 1, 26)
        label = chr(ord("A") + letter) + label
    return label
