def solution(tickets):
    return sorted(tickets, key=lambda ticket: -ticket["priority"])
