/** Compares people with five formulas with people with five other attributes, and changes a formula while requests write. */

import type { Side } from '../measure/measure'
import { ask } from '../measure/probe'
import { createDatabase, startService } from '../processes'
import { makePeople } from '../seeds/multiplied-people'
import type { Workload } from '../workloads/workload'
import {
  addAttribute,
  type Comparison,
  copyDatabase,
  fillAttributes,
  HEADINGS,
  patchOf,
  quantiles,
  readIds,
  reads,
  show,
  stop,
  untilComplete,
  vacuum,
} from './sides'

/** The last one reads the clock, so that statements compute it. */
const FORMULAS = [
  { api_slug: 'shown_name', type: 'text', formula: "concat_ws(' ', name.first_name, name.last_name)" },
  { api_slug: 'mail_domain', type: 'text', formula: "split_part(email_addresses[1], '@', 2)" },
  { api_slug: 'title_length', type: 'number', formula: 'length(job_title)' },
  { api_slug: 'known_on', type: 'date', formula: 'created_at::date' },
  { api_slug: 'days_known', type: 'number', formula: 'current_date - known_on' },
]
const OF_CLOCK = 'days_known'
const PLAIN_VALUES: Readonly<Record<string, string>> = { text: "'Some text'", number: '12', date: "date '2026-01-01'" }

const RECORDS = '/v2/objects/people/records'

export async function compareFormulas(comparison: Comparison, people: number): Promise<void> {
  const { bench } = comparison
  const first = await createDatabase(bench, 'plain')
  const { key, pid } = await startService(bench, first)
  await stop(pid)
  await makePeople(bench, first, people)
  const ids = await readIds(first)
  const start = (url: string) => startService(bench, url, { key, settings: { RELATA_ON_COPY: 'move' } })
  const [computedUrl, trackedUrl] = [await copyDatabase(bench, 'computed'), await copyDatabase(bench, 'tracked')]
  const plain = await start(first)
  const computed = await start(computedUrl)
  const tracked = await start(trackedUrl)
  await addFormulas(plain, () => undefined)
  await fillAttributes(
    first,
    Object.fromEntries(FORMULAS.map(({ api_slug, type }) => [api_slug, String(PLAIN_VALUES[type])])),
  )
  await addFormulas(computed, (formula) => ({ formula }))
  await addFormulas(tracked, (formula, slug) => ({ formula, tracked: slug !== OF_CLOCK }))
  await untilComplete(computed, 'title_length')
  await untilComplete(tracked, 'title_length')
  for (const url of [first, computedUrl, trackedUrl]) await vacuum(url)
  console.log(HEADINGS)
  for (const workload of [...reads(ids), ...writes(ids)]) await show(comparison, workload, [plain, computed, tracked])
  for (const workload of filters()) await show(comparison, workload, [computed])
  await changeFormula(computed, ids, people)
}

/** Adds the five attributes, by `computed` as computed ones. */
async function addFormulas(side: Side, computed: (formula: string, slug: string) => object | undefined): Promise<void> {
  for (const { formula, ...attribute } of FORMULAS)
    await addAttribute(side, { ...attribute, computed: computed(formula, attribute.api_slug) })
}

function writes(ids: readonly string[]): Workload[] {
  return [
    {
      name: 'patch-other',
      title: 'change what none names',
      request: (random) => patchOf(ids[random.below(ids.length)], { description: `Text ${random.below(1e6)}` }),
    },
    {
      name: 'patch',
      title: 'change what a formula names',
      request: (random) => patchOf(ids[random.below(ids.length)], { job_title: 'x'.repeat(1 + random.below(60)) }),
    },
  ]
}

/** Only people with computed attributes have these. The first one is turned around to the day, and the second one is not. */
function filters(): Workload[] {
  return [
    {
      name: 'filter-day',
      title: 'days since, turned around',
      request: () => ({
        method: 'POST',
        path: `${RECORDS}/query`,
        body: { filter: { [OF_CLOCK]: { $lt: 3 } }, limit: 50 },
      }),
    },
    {
      name: 'filter-function',
      title: 'sorted by days since',
      request: () => ({
        method: 'POST',
        path: `${RECORDS}/query`,
        body: { sorts: [{ attribute: OF_CLOCK, direction: 'desc' }], limit: 50 },
      }),
    },
  ]
}

/** One client writes while the rows are computed. */
async function changeFormula(side: Side, ids: readonly string[], people: number): Promise<void> {
  const write = async (n: number) => {
    const begun = performance.now()
    await ask(patchOf(ids[n % ids.length], { job_title: `Title ${n}` }), side)
    return performance.now() - begun
  }
  const before: number[] = []
  for (let n = 0; n < 300; n++) before.push(await write(n))
  const begun = performance.now()
  const data = { computed: { formula: 'length(job_title) + 1' } }
  await ask({ method: 'PATCH', path: '/v2/objects/people/attributes/title_length', body: { data } }, side)
  const answered = performance.now() - begun
  const state = { isOver: false }
  const end = untilComplete(side, 'title_length').then(() => (state.isOver = true))
  const during: number[] = []
  for (let n = 300; !state.isOver; n++) during.push(await write(n))
  await end
  const elapsed = (performance.now() - begun) / 1000
  console.log(
    `Formula changed: answered in ${answered.toFixed(0)} ms, ${people} rows in ${elapsed.toFixed(1)} s, ${(people / elapsed).toFixed(0)} rows/s`,
  )
  console.log(`Writes before: ${quantiles(before)}; while rows are computed: ${quantiles(during)}`)
}
