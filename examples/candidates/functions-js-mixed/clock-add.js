// crashes: the time has no such method
function solution(time, minutes) {
    return time.plusMinutes(minutes).toClock();
}
