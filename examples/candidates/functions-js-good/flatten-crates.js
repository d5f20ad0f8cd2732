function solution(crates) {
    return crates.flatMap((item) => (Array.isArray(item) ? item : [item]));
}
