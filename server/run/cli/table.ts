/** Prints rows of text under headings, each column as wide as its widest cell. */
export function printTable(
  print: (line: string) => void,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const row of all)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
