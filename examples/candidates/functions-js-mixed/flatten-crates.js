// right answer, but the caller's list is empty afterwards
function solution(crates) {
    const all = [];
    while (crates.length > 0) {
        const item = crates.shift();
        all.push(...(Array.isArray(item) ? item : [item]));
    }
    return all;
}
