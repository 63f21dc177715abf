/** Writes all rows of a query to a CSV file, which arrives from the service while the query runs. */

import { streamCsv } from '../../../api/sql/sql'
import { openOutputFile } from '../../../state/output-file'

export async function saveCsv(sql: string, name: string, signal: AbortSignal): Promise<void> {
  // The dialog of the browser needs the press of a button, so it opens before the query runs.
  const file = await openOutputFile(`${name}.csv`)
  try {
    const { body } = await streamCsv(sql, signal)
    const reader = body?.getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) await file.write(part.value)
    await file.close()
  } catch (error) {
    await file.abort()
    throw error
  }
}
