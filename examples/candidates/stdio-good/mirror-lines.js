const lines = require("fs").readFileSync(0, "utf8").split("\n");
lines.pop();
for (const line of lines) console.log([...line].reverse().join(""));
