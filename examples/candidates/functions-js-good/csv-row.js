function solution(line) {
    const fields = [""];
    let quoted = false;
    for (let at = 0; at < line.length; at++) {
        const letter = line[at];
        if (quoted && letter === '"' && line[at + 1] === '"') {
            fields[fields.length - 1] += '"';
            at++;
        } else if (letter === '"') {
            quoted = !quoted;
        } else if (letter === "," && !quoted) {
            fields.push("");
        } else {
            fields[fields.length - 1] += letter;
        }
    }
    return fields;
}
