/** A walk by cursor over everything there is. */

import type { Side } from './measure'
import { PEOPLE } from './workload'
import { residentBytes } from './usage'

export interface Walked {
  readonly records: number
  readonly seconds: number
  /** The service's memory at the first page, at most, and at the last one. */
  readonly rss: readonly [first: number, most: number, last: number]
}

const PAGE_SIZE = 500

/** Throws unless it comes past as many records as there are. */
export async function walk({ port, key, pid }: Side, expected: number): Promise<Walked> {
  const begun = performance.now()
  const rss: number[] = []
  let records = 0
  for (let cursor: string | null | undefined; cursor !== null;) {
    const response = await fetch(`http://127.0.0.1:${port}${PEOPLE}/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
      body: JSON.stringify({ limit: PAGE_SIZE, cursor: cursor ?? null }),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`The walk was answered ${response.status}: ${text}`)
    const found = pageOf(text)
    records += found.records
    cursor = found.next
    rss.push(residentBytes(pid))
  }
  if (records < expected) throw new Error(`The walk came past ${records} of ${expected} records.`)
  const seconds = (performance.now() - begun) / 1000
  return { records, seconds, rss: [rss[0] ?? 0, Math.max(...rss), rss.at(-1) ?? 0] }
}

/** Without parsing megabytes, which would cost as much as answering does. */
function pageOf(text: string): { readonly records: number; readonly next: string | null } {
  const next = /"next_cursor":(?:"([^"]*)"|null)\}+$/.exec(text.slice(-2000))
  if (!next) throw new Error(`A page without a cursor: ${text.slice(-200)}`)
  return { records: text.split('"web_url":').length - 1, next: next[1] ?? null }
}
