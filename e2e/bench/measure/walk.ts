/** Reads all records page by page with a cursor. */

import { openConnection, renderRequest } from './http-client'
import type { Side } from './measure'
import { PEOPLE } from '../workloads/workload'
import { residentBytes } from './usage'

export interface Walked {
  readonly records: number
  readonly seconds: number
  /** The average memory of the service in each quarter of the pages. */
  readonly rss_by_quarter: readonly number[]
  readonly rss_most: number
}

const PAGE_SIZE = 500

/** Reads all records of `path`. Throws unless it reads `expected` of them. */
export async function walk({ port, key, pid }: Side, expected: number, path = PEOPLE): Promise<Walked> {
  const begun = performance.now()
  const page = newPage()
  const connection = await openConnection(port, page.read)
  const rss: number[] = []
  let records = 0
  for (let cursor: string | null | undefined; cursor !== null;) {
    const body = { limit: PAGE_SIZE, cursor: cursor ?? null }
    const status = await connection.send(renderRequest({ method: 'POST', path: `${path}/query`, body }, key))
    const found = page.end()
    if (status !== 200) throw new Error(`The walk was answered ${status}: ${found.last}`)
    records += found.records
    cursor = cursorIn(found.last)
    rss.push(residentBytes(pid))
  }
  connection.close()
  if (records < expected) throw new Error(`The walk came past ${records} of ${expected} records.`)
  const seconds = (performance.now() - begun) / 1000
  return { records, seconds, rss_by_quarter: quarters(rss).map(mean), rss_most: Math.max(...rss) }
}

const quarters = (samples: readonly number[]): number[][] =>
  [0, 1, 2, 3].map((quarter) => samples.slice((quarter * samples.length) / 4, ((quarter + 1) * samples.length) / 4))

const mean = (samples: readonly number[]): number => samples.reduce((sum, each) => sum + each, 0) / samples.length

/** A text that occurs once in every record. */
const MARK = '"web_url":'
const LAST_BYTES = 2000

/** Counts records and keeps only the end of the page, because parsing megabytes would cost as much as sending them. */
function newPage() {
  let records = 0
  let last = Buffer.alloc(0)
  return {
    read(piece: Buffer): void {
      // The text may begin in one piece and end in the next.
      const border = Buffer.concat([last.subarray(1 - MARK.length), piece.subarray(0, MARK.length - 1)])
      records += countMarks(border) + countMarks(piece)
      last = Buffer.concat([last, piece.subarray(-LAST_BYTES)]).subarray(-LAST_BYTES)
    },
    end() {
      const found = { records, last: last.toString() }
      records = 0
      last = Buffer.alloc(0)
      return found
    },
  }
}

function countMarks(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + MARK.length)) count++
  return count
}

function cursorIn(last: string): string | null {
  const next = /"next_cursor":(?:"([^"]*)"|null)\}+$/.exec(last)
  if (!next) throw new Error(`A page without a cursor: ${last.slice(-200)}`)
  return next[1] ?? null
}
