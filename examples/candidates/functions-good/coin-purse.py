def solution(amount, coins):
    best = [0] + [None] * amount
    for total in range(1, amount + 1):
        ways = [best[total - coin] for coin in coins if coin <= total and best[total - coin] is not None]
        best[total] = 1 + min(ways) if ways else None
    return best[amount]
