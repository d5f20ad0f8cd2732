from typing import List

def pad_table(rows: List[List[str]]) -> List[str]:
    """Join each row with one blank; each cell is padded on the right to the widest cell of its column.
    Trailing blanks are removed. All rows have the same number of cells.
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    return [" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
