function bestSeat(rows) {
    let best = null;
    rows.forEach((row, r) => {
        for (let c = 0; c < row.length; c++) {
            if (row[c] !== ".") continue;
            const taken = (row[c - 1] === "#") + (row[c + 1] === "#");
            if (best === null || taken < best.taken) best = { taken, at: [r, c] };
        }
    });
    return best === null ? null : best.at;
}
