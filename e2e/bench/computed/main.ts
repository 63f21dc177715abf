/**
 * Compares people with five computed attributes with people with five other attributes, and changes a formula while requests write.
 * `bun run bench:computed [--people 1000000] [--seconds 6]`; docs/benchmarks.md explains the output.
 */

import { parseArgs } from 'node:util'
import { connect } from '#db/connect'
import type { Request } from '../measure/http-client'
import { randomFrom } from '../data/random'
import { measure, type Figures, type Side } from '../measure/measure'
import { ask } from '../measure/probe'
import { createDatabase, startBench, startService } from '../processes'
import { columnsOf, line, ratio } from '../report'
import { makePeople } from '../seeds/multiplied-people'
import type { SeededPeople, Workload } from '../workloads/workload'

const { values } = parseArgs({
  options: { people: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '6' } },
})
const people = Number(values.people)
const seconds = Number(values.seconds)

/** The last one reads the clock, so that statements compute it. */
const FORMULAS = [
  { api_slug: 'shown_name', type: 'text', formula: "concat_ws(' ', name.first_name, name.last_name)" },
  { api_slug: 'mail_domain', type: 'text', formula: "split_part(email_addresses[1], '@', 2)" },
  { api_slug: 'title_length', type: 'number', formula: 'length(job_title)' },
  { api_slug: 'known_on', type: 'date', formula: 'created_at::date' },
  { api_slug: 'days_known', type: 'number', formula: 'current_date - known_on' },
]
const OF_CLOCK = 'days_known'

const OBJECT = '/v2/objects/people'
const RECORDS = `${OBJECT}/records`
const NO_PEOPLE: SeededPeople = { people: [], next: () => 0 }

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run().finally(bench.end)
process.exit(0)

async function run(): Promise<void> {
  const first = await createDatabase(bench, 'plain')
  const { key, pid } = await startService(bench, first)
  await stop(pid)
  await makePeople(bench, first, people)
  const ids = await readIds(first)
  const start = (url: string) => startService(bench, url, { key, settings: { RELATA_ON_COPY: 'move' } })
  const [computedUrl, trackedUrl] = [await copyDatabase('computed'), await copyDatabase('tracked')]
  const plain = await start(first)
  const computed = await start(computedUrl)
  const tracked = await start(trackedUrl)
  await addAttributes(plain, () => undefined)
  await fillAttributes(first)
  await addAttributes(computed, (formula) => ({ formula }))
  await addAttributes(tracked, (formula, slug) => ({ formula, tracked: slug !== OF_CLOCK }))
  await untilComplete(computed)
  await untilComplete(tracked)
  for (const url of [first, computedUrl, trackedUrl]) await vacuum(url)
  const compared = [plain, computed, tracked]
  console.log(line(['', 'c', '', 'req/s', 'p50 ms', 'p99 ms', 'cpu ms', 'pg ms', 'rate', 'cpu + pg']))
  for (const workload of workloads(ids)) await show(workload, compared)
  for (const workload of filters()) await show(workload, [computed])
  await changeFormula(computed, ids)
}

async function readIds(url: string): Promise<string[]> {
  const db = connect(url, { max: 1, applicationName: 'bench' })
  const rows = await db.sql<{ id: string }[]>`select id from w_1.o_1 order by md5(id::text) limit 20000`
  await db.close()
  return rows.map(({ id }) => id)
}

async function vacuum(url: string): Promise<void> {
  const db = connect(url, { max: 1, applicationName: 'bench' })
  await db.sql`vacuum full analyze w_1.o_1`
  await db.close()
}

async function copyDatabase(name: string): Promise<string> {
  await bench.db.sql.unsafe(`create database ${name} template plain`)
  return Object.assign(new URL(bench.url), { pathname: `/${name}` }).href
}

/** Adds the five attributes, by `computed` as computed ones. */
async function addAttributes(
  side: Side,
  computed: (formula: string, slug: string) => object | undefined,
): Promise<void> {
  for (const { formula, ...attribute } of FORMULAS) {
    const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
    const made = computed(formula, attribute.api_slug)
    const data = { title: attribute.api_slug, ...plain, ...attribute, ...(made && { computed: made }) }
    await ask({ method: 'POST', path: `${OBJECT}/attributes`, body: { data } }, side)
  }
}

/** Gives the attributes of the plain side values, so that both sides answer as many. */
async function fillAttributes(url: string): Promise<void> {
  const db = connect(url, { max: 1, applicationName: 'bench' })
  const slugs = FORMULAS.map(({ api_slug }) => api_slug)
  const columns = await db.sql<{ name: string; type: string }[]>`
    select format('a_%s_value', number) as name, type from relata.attributes where api_slug = any(${slugs}::text[])`
  const values: Record<string, string> = { text: "'Some text'", number: '12', date: "date '2026-01-01'" }
  const sets = columns.map(({ name, type }) => `${name} = ${values[type]}`)
  await db.sql.unsafe(`update w_1.o_1 set ${sets.join(', ')}`)
  await db.close()
}

async function untilComplete(side: Side): Promise<void> {
  const path = `${OBJECT}/attributes/title_length`
  const isComplete = async () =>
    (JSON.parse(await ask({ method: 'GET', path }, side)) as { data: { computed: { is_complete: boolean } } })
      .data // the answer of this route
    .computed.is_complete
  while (!(await isComplete())) await Bun.sleep(100)
}

function workloads(ids: readonly string[]): Workload[] {
  return [
    {
      name: 'get',
      title: 'get by id',
      request: (random) => ({ method: 'GET', path: `${RECORDS}/${ids[random.below(ids.length)]}` }),
    },
    {
      name: 'page',
      title: 'page of 50, oldest first',
      request: () => ({ method: 'POST', path: `${RECORDS}/query`, body: { limit: 50 } }),
    },
    {
      name: 'patch-other',
      title: 'change what none names',
      request: (random) => patch(ids, random.below(ids.length), { description: `Text ${random.below(1e6)}` }),
    },
    {
      name: 'patch',
      title: 'change what a formula names',
      request: (random) => patch(ids, random.below(ids.length), { job_title: 'x'.repeat(1 + random.below(60)) }),
    },
  ]
}

function patch(ids: readonly string[], index: number, written: object): Request {
  return { method: 'PATCH', path: `${RECORDS}/${ids[index]}`, body: { data: { values: written } } }
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

async function show(workload: Workload, sides: readonly Side[]): Promise<void> {
  for (const side of sides) await ask(workload.request(randomFrom(1), NO_PEOPLE), side)
  const figures = await measure(workload, NO_PEOPLE, sides, { concurrency: 4, seconds, postgres: bench.postgres })
  const [plain] = figures
  for (const [index, each] of figures.entries()) {
    const name = figures.length === 1 ? 'computed' : ['plain', 'computed', 'tracked'][index]
    const ratios = plain === undefined ? [] : [ratio(each.rate, plain.rate), ratio(cpuOf(each), cpuOf(plain))]
    const shown = ratios.map((value) => value.toFixed(2))
    console.log(line([index === 0 ? workload.title : '', '4', String(name), ...columnsOf(each), ...shown]))
  }
}

function cpuOf({ program_cpu, postgres_cpu }: Figures): number {
  return program_cpu + postgres_cpu
}

/** One client writes while the rows are computed. */
async function changeFormula(side: Side, ids: readonly string[]): Promise<void> {
  const write = async (n: number) => {
    const begun = performance.now()
    await ask(patch(ids, n % ids.length, { job_title: `Title ${n}` }), side)
    return performance.now() - begun
  }
  const before: number[] = []
  for (let n = 0; n < 300; n++) before.push(await write(n))
  const begun = performance.now()
  const data = { computed: { formula: 'length(job_title) + 1' } }
  await ask({ method: 'PATCH', path: `${OBJECT}/attributes/title_length`, body: { data } }, side)
  const answered = performance.now() - begun
  const state = { isOver: false }
  const end = untilComplete(side).then(() => (state.isOver = true))
  const during: number[] = []
  for (let n = 300; !state.isOver; n++) during.push(await write(n))
  await end
  const elapsed = (performance.now() - begun) / 1000
  console.log(
    `Formula changed: answered in ${answered.toFixed(0)} ms, ${people} rows in ${elapsed.toFixed(1)} s, ${(people / elapsed).toFixed(0)} rows/s`,
  )
  console.log(`Writes before: ${quantiles(before)}; while rows are computed: ${quantiles(during)}`)
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM')
  while (await Bun.file(`/proc/${pid}/stat`).exists()) await Bun.sleep(20)
}
