function solution(time, minutes) {
    const [hour, minute] = time.split(":").map(Number);
    const total = (((hour * 60 + minute + minutes) % 1440) + 1440) % 1440;
    const two = (n) => String(n).padStart(2, "0");
    return two(Math.floor(total / 60)) + ":" + two(total % 60);
}
