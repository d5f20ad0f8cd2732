// wrong: leaves hyphens at the ends
function solution(title) {
    return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
