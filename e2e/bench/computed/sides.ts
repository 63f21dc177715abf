/** Starts and compares services whose people have the same attributes, ordinary and computed ones. */

import { connect } from '#db/connect'
import type { Request } from '../measure/http-client'
import { randomFrom } from '../data/random'
import { measure, type Figures, type Side } from '../measure/measure'
import { ask } from '../measure/probe'
import type { Bench } from '../processes'
import { columnsOf, line, ratio } from '../report'
import type { SeededPeople, Workload } from '../workloads/workload'

const OBJECT = '/v2/objects/people'
const RECORDS = `${OBJECT}/records`
const NO_PEOPLE: SeededPeople = { people: [], next: () => 0 }

export interface NewAttribute {
  readonly api_slug: string
  readonly type: string
  readonly config?: object
  readonly computed?: object | undefined
}

export async function addAttribute(side: Side, attribute: NewAttribute, object = 'people'): Promise<void> {
  const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  const data = { title: attribute.api_slug, ...plain, ...attribute }
  await ask({ method: 'POST', path: `/v2/objects/${object}/attributes`, body: { data } }, side)
}

export async function readIds(url: string, table = 'w_1.o_1'): Promise<string[]> {
  const rows = await runSql<{ id: string }>(url, `select id from ${table} order by md5(id::text) limit 20000`)
  return rows.map(({ id }) => id)
}

export async function vacuum(url: string): Promise<void> {
  await runSql(url, 'vacuum full analyze w_1.o_1')
}

export async function runSql<R extends object>(url: string, text: string): Promise<readonly R[]> {
  const db = connect(url, { max: 1, applicationName: 'bench' })
  const rows = await db.sql.unsafe<R[]>(text)
  await db.close()
  return rows
}

export async function copyDatabase(bench: Bench, name: string): Promise<string> {
  await bench.db.sql.unsafe(`create database ${name} template plain`)
  return Object.assign(new URL(bench.url), { pathname: `/${name}` }).href
}

/** Gives the attributes of the plain side values by their SQL, so that both sides answer as many. */
export async function fillAttributes(url: string, values: Readonly<Record<string, string>>): Promise<void> {
  const columns = await runSql<{ name: string; slug: string }>(
    url,
    `select format('a_%s_%s', number, case type when 'currency' then 'currency_value' else 'value' end) as name, api_slug as slug
     from relata.attributes where api_slug in (${Object.keys(values)
       .map((slug) => `'${slug}'`)
       .join(', ')})`,
  )
  await runSql(url, `update w_1.o_1 set ${columns.map(({ name, slug }) => `${name} = ${values[slug]}`).join(', ')}`)
}

export async function untilComplete(side: Side, slug: string): Promise<void> {
  const path = `${OBJECT}/attributes/${slug}`
  const isComplete = async () =>
    (JSON.parse(await ask({ method: 'GET', path }, side)) as { data: { computed: { is_complete: boolean } } })
      .data // the answer of this route
    .computed.is_complete
  while (!(await isComplete())) await Bun.sleep(100)
}

/** Waits without requests, for which the workers would pause, until they have computed everything. */
export async function untilComputed(url: string): Promise<void> {
  const waiting = 'select from relata.rollup_refreshes union all select from relata.formula_fills'
  await untilEmpty(url, waiting)
}

/** Waits until the query finds no row. */
export async function untilEmpty(url: string, query: string): Promise<void> {
  while ((await runSql(url, query)).length > 0) await Bun.sleep(50)
}

export function reads(ids: readonly string[]): Workload[] {
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
  ]
}

export const patchOf = (id: string | undefined, values: object, object = 'people'): Request => ({
  method: 'PATCH',
  path: `/v2/objects/${object}/records/${id}`,
  body: { data: { values } },
})

const SIDES = ['plain', 'computed', 'tracked']

export const HEADINGS = line(['', 'c', '', 'req/s', 'p50 ms', 'p99 ms', 'cpu ms', 'pg ms', 'rate', 'cpu + pg'])

export interface Comparison {
  readonly bench: Bench
  readonly seconds: number
}

export async function show({ bench, seconds }: Comparison, workload: Workload, sides: readonly Side[]): Promise<void> {
  for (const side of sides) await ask(workload.request(randomFrom(1), NO_PEOPLE), side)
  const figures = await measure(workload, NO_PEOPLE, sides, { concurrency: 4, seconds, postgres: bench.postgres })
  const [plain] = figures
  for (const [index, each] of figures.entries()) {
    const name = figures.length === 1 ? 'computed' : SIDES[index]
    const ratios = plain === undefined ? [] : [ratio(each.rate, plain.rate), ratio(cpuOf(each), cpuOf(plain))]
    const shown = ratios.map((value) => value.toFixed(2))
    console.log(line([index === 0 ? workload.title : '', '4', String(name), ...columnsOf(each), ...shown]))
  }
}

function cpuOf({ program_cpu, postgres_cpu }: Figures): number {
  return program_cpu + postgres_cpu
}

export function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

export async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM')
  while (await Bun.file(`/proc/${pid}/stat`).exists()) await Bun.sleep(20)
}
