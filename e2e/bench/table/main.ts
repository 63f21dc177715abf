/**
 * Measures the table of the console: the processor time of a frame while it scrolls, and of a page change.
 * `bun run bench:table`; docs/benchmarks.md explains the output.
 */

import { parseArgs } from 'node:util'
import { importPeople } from '../import'
import { readKept, writeKept } from '../kept-databases'
import { startBench, startService } from '../processes'
import { changePages } from './change-pages'
import { openConsole } from './console'
import { renderPageChanges, renderScroll } from './report'
import { openTable, scroll } from './scroll'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    frames: { type: 'string', default: '300' },
    data: { type: 'string' },
    profile: { type: 'string' },
  },
})

const bench = await startBench(values.data)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run(Number(values.records), Number(values.frames)).finally(bench.end)
process.exit(0)

async function run(records: number, frames: number): Promise<void> {
  const settings = { RELATA_FIRST_START: 'browser' }
  const { port } = await startService(bench, bench.url, { key: 'none', settings })
  const page = await openConsole(bench, port)
  await fill(records)
  await openTable(page)
  for (const rowsPerFrame of [1, 4]) {
    console.log(renderScroll(rowsPerFrame, await scroll(page, { frames, rowsPerFrame, profile: values.profile })))
  }
  console.log(renderPageChanges(await changePages(page)))
}

/** Imports people and companies, unless an earlier run did. */
async function fill(records: number): Promise<void> {
  if (await readKept(bench.folder, records)) return
  const load = await importPeople(bench, bench.url, records)
  await bench.db.sql.unsafe('vacuum analyze')
  await writeKept(bench.folder, { records, key: 'none', load })
}
