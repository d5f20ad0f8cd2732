def next_gap(taken):
    number = 0
    while True:
        pass
    return number
