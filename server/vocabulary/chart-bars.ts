/** Where horizontal bars with a label before and a text behind each are, in pixels. */

export interface BarRow {
  readonly label: string
  readonly value: number
  readonly text: string
  /** Another number on the same scale. */
  readonly mark?: number | undefined
  readonly isAlert?: boolean
}

const ROW = 30
const BAR = 18
const LETTER = 6.5

export function horizontalBars(rows: readonly BarRow[], width: number) {
  const left = Math.min(width * 0.35, Math.max(...rows.map((row) => row.label.length * LETTER), 40) + 8)
  const textWidth = Math.max(...rows.map(({ text }) => text.length * LETTER), 20) + 12
  const available = Math.max(20, width - left - textWidth)
  /** Texts behind their bars would be on marks. */
  const hasMarks = rows.some(({ mark }) => mark !== undefined)
  const largest = Math.max(1e-9, ...rows.flatMap(({ value, mark = 0 }) => [value, mark]))
  const lengthOf = (value: number) => (available * value) / largest
  const letters = Math.max(3, Math.floor(left / LETTER))
  return {
    height: rows.length * ROW,
    bars: rows.map((row, index) => ({
      ...row,
      label: row.label.length > letters ? `${row.label.slice(0, letters - 1)}…` : row.label,
      title: `${row.label}: ${row.text}`,
      middle: index * ROW + ROW / 2,
      x: left,
      y: index * ROW + (ROW - BAR) / 2,
      width: Math.max(1, lengthOf(row.value)),
      height: BAR,
      markX: row.mark === undefined ? undefined : left + lengthOf(row.mark),
      markFrom: index * ROW + 2,
      markTo: (index + 1) * ROW - 2,
      textX: left + (hasMarks ? available : Math.max(1, lengthOf(row.value))) + 6,
    })),
  }
}
