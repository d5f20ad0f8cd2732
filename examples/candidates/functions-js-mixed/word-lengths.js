// hangs
function solution(text) {
    for (;;) {}
}
