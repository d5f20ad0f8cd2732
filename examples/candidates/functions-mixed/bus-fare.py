# crashes: asks for a key that the trip does not have
def solution(trip):
    return trip["zone"] * 120
