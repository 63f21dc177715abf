/** Writes all rows of a query to a CSV file, which arrives from the service while the query runs. */

import { streamCsv } from '../../../api/sql/sql'
import { openOutputFile } from '../../../state/output-file'

export async function saveCsv(sql: string, name: string, signal: AbortSignal): Promise<void> {
  // The dialog of the browser needs the press of a button, so it opens before the query runs.
  const file = await openOutputFile(`${fileNameOf(name)}.csv`)
  try {
    const { body } = await streamCsv(sql, signal)
    const reader = body?.getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) await file.write(part.value)
    await file.close()
  } catch (error) {
    await file.abort()
    // The service can only end a response that has begun, which browsers report as an error of the network.
    throw error instanceof TypeError
      ? new Error('The download ended early. The query may have reached its time limit.')
      : error
  }
}

/** Browsers refuse names with signs that a file system does not allow. */
const fileNameOf = (name: string): string => name.replaceAll(/[\\/:*?"<>|~.]+/g, '-').trim() || 'SQL'
