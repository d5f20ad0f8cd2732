function solution(text) {
    const counts = {};
    for (const word of text.split(/\s+/).filter(Boolean)) {
        counts[word.length] = (counts[word.length] || 0) + 1;
    }
    return counts;
}
