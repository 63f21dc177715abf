/** Shows the progress of an import: on a terminal one line that is redrawn, otherwise a new line every 10,000 rows. */

import type { RowCounts } from '#transfer/import/row-counts'

const LINE_EVERY_ROWS = 10_000
const REDRAW_EVERY_MS = 100

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export interface ImportProgress {
  show(counts: RowCounts): void
  /** Clears the line that is redrawn. */
  done(): void
}

export function createImportProgress(output: Output): ImportProgress {
  const startedAt = performance.now()
  const text = (counts: RowCounts) => `${describeCounts(counts)}, ${rate(counts.read, startedAt)}`
  return output.isTTY === true ? redrawn(output, text) : printed(output, text)
}

function redrawn(output: Output, text: (counts: RowCounts) => string): ImportProgress {
  let drawnAt = 0
  return {
    show(counts) {
      if (performance.now() - drawnAt < REDRAW_EVERY_MS) return
      drawnAt = performance.now()
      output.write(`\r${text(counts)}\u001b[K`)
    },
    done: () => output.write('\r\u001b[K'),
  }
}

function printed(output: Output, text: (counts: RowCounts) => string): ImportProgress {
  let printedRows = 0
  return {
    show(counts) {
      if (counts.read - printedRows < LINE_EVERY_ROWS) return
      printedRows = counts.read - (counts.read % LINE_EVERY_ROWS)
      output.write(`${text(counts)}\n`)
    },
    done() {},
  }
}

export const describeCounts = ({ read, created, updated, unchanged, skipped }: RowCounts): string =>
  `${read} rows read: ${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped`

/** Rows per second. */
export const rate = (rows: number, startedAt: number): string =>
  `${Math.round(rows / Math.max((performance.now() - startedAt) / 1000, 0.001))} rows/s`
