def solution(number):
    digits = "".join(letter for letter in number if letter.isdigit())
    if number.strip().startswith("+"):
        return "+" + digits
    if digits.startswith("00"):
        return "+" + digits[2:]
    return "0" + digits.lstrip("0")
