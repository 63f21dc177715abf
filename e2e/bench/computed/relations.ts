/**
 * Compares people with a formula, one of the clock, a look-up and two rollups with people with five other attributes. Each person has one order
 * on average, from which the rollups have their values.
 */

import { cpuOf } from '../measure/usage'
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
  readIds,
  reads,
  runSql,
  show,
  stop,
  untilComputed,
  untilEmpty,
  vacuum,
} from './sides'

const CURRENCY = { currency: { default_currency_code: 'EUR', display_type: 'symbol' } }

/** `value` is the SQL of the values of the plain side. */
const ATTRIBUTES = [
  {
    attribute: { api_slug: 'shown_name', type: 'text' },
    computed: { formula: "concat_ws(' ', name.first_name, name.last_name)" },
    value: "'Ada Lovelace'",
  },
  {
    attribute: { api_slug: 'days_known', type: 'number' },
    computed: { formula: 'current_date - created_at::date' },
    value: '12',
  },
  {
    attribute: { api_slug: 'employer', type: 'text' },
    computed: { lookup: ['company', 'name'] },
    value: "'Some company'",
  },
  {
    attribute: { api_slug: 'order_count', type: 'number' },
    computed: { rollup: { through: 'orders.person', function: 'count' } },
    value: '1',
  },
  {
    attribute: { api_slug: 'order_sum', type: 'currency', config: CURRENCY },
    computed: { rollup: { through: 'orders.person', function: 'sum', of: 'amount' } },
    value: '12.5',
  },
] as const

export async function compareRelations(comparison: Comparison, people: number): Promise<void> {
  const { bench } = comparison
  const first = await createDatabase(bench, 'plain')
  const { key, pid } = await startService(bench, first)
  await stop(pid)
  await makePeople(bench, first, people)
  const start = (url: string) => startService(bench, url, { key, settings: { RELATA_ON_COPY: 'move' } })
  const maker = await start(first)
  await addOrders(maker)
  // The services would follow events that are published later, beside the computation.
  await untilEmpty(first, 'select from w_1.outbox limit 1')
  await stop(maker.pid)
  const orders = await fillOrders(first)
  const ids = await readIds(first)
  const children = await readIds(first, orders)
  const computedUrl = await copyDatabase(bench, 'computed')
  const plain = await start(first)
  for (const { attribute } of ATTRIBUTES) await addAttribute(plain, attribute)
  await fillAttributes(first, Object.fromEntries(ATTRIBUTES.map(({ attribute, value }) => [attribute.api_slug, value])))
  const computed = await start(computedUrl)
  for (const { attribute, computed: definition } of ATTRIBUTES) {
    const before = { time: performance.now(), program: cpuOf(computed.pid), postgres: cpuOf(bench.postgres) }
    await addAttribute(computed, { ...attribute, computed: definition })
    await untilComputed(computedUrl)
    const seconds = (performance.now() - before.time) / 1000
    const [program, postgres] = [cpuOf(computed.pid) - before.program, cpuOf(bench.postgres) - before.postgres]
    const cost = (ms: number) => ((ms * 1000) / people).toFixed(1)
    console.log(
      `${attribute.api_slug}: ${(people / seconds).toFixed(0)} a second in ${seconds.toFixed(1)} s, ${cost(program)} + ${cost(postgres)} µs each`,
    )
  }
  for (const url of [first, computedUrl]) await vacuum(url)
  console.log(HEADINGS)
  for (const workload of [...reads(ids), ...writes(ids, children)]) await show(comparison, workload, [plain, computed])
}

async function addOrders(side: Side): Promise<void> {
  const data = { api_slug: 'orders', singular_noun: 'Order', plural_noun: 'Orders' }
  await ask({ method: 'POST', path: '/v2/objects', body: { data } }, side)
  await addAttribute(side, { api_slug: 'amount', type: 'currency', config: CURRENCY }, 'orders')
  const config = { record_reference: { allowed_objects: ['people'] } }
  await addAttribute(side, { api_slug: 'person', type: 'record-reference', config }, 'orders')
}

/** Inserts as many orders as there are people. Returns the table. */
async function fillOrders(url: string): Promise<string> {
  const [found] = await runSql<{ orders: string; people: number; amount: number; person: number }>(
    url,
    `select format('w_1.o_%s', o.number) as orders,
       (select number from relata.entity_types where api_slug = 'people') as people,
       (select number from relata.attributes a where a.entity_type_id = o.id and a.api_slug = 'amount') as amount,
       (select number from relata.attributes a where a.entity_type_id = o.id and a.api_slug = 'person') as person
     from relata.entity_types o where o.api_slug = 'orders'`,
  )
  if (found === undefined) throw new Error('There is no object for orders.')
  const { orders, people, amount, person } = found
  await runSql(
    url,
    `insert into ${orders} (id, created_at, created_by, updated_at, updated_by, a_${amount}_currency_value,
       a_${person}_target_object, a_${person}_target_record_id)
     select gen_random_uuid(), now(), 0, now(), 0, (hashtext(id::text) & 65535) / 100.0, ${people}, id from w_1.o_1`,
  )
  // The services follow none of the import.
  await runSql(
    url,
    `insert into relata.followed_feeds (workspace_id, position, recorded_at)
     select workspace_id, max(position), max(recorded_at) from relata.events group by workspace_id
     on conflict (workspace_id) do update set position = excluded.position, recorded_at = excluded.recorded_at`,
  )
  for (const queue of ['contact_jobs', 'interaction_refreshes']) await runSql(url, `delete from relata.${queue}`)
  // A vacuum of a million written rows would take processor time from what is measured.
  for (const table of ['w_1.o_1', orders]) await runSql(url, `alter table ${table} set (autovacuum_enabled = off)`)
  await runSql(url, 'vacuum analyze')
  return orders
}

function writes(ids: readonly string[], children: readonly string[]): Workload[] {
  return [
    {
      name: 'patch',
      title: 'change what a formula names',
      request: (random) => {
        const name = `Ada ${random.below(1e6)}`
        return patchOf(ids[random.below(ids.length)], {
          name: { first_name: name, last_name: 'King', full_name: name },
        })
      },
    },
    {
      name: 'patch-child',
      title: 'change an order',
      request: (random) =>
        patchOf(children[random.below(children.length)], { amount: random.below(1e6) / 100 }, 'orders'),
    },
  ]
}
