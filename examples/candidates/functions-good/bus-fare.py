def solution(trip):
    if trip["day_pass"]:
        return 0
    cents = 120 + 35 * max(0, trip["stops"] - 3)
    return cents // 2 if trip["child"] else cents
