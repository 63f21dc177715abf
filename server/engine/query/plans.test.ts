import { beforeAll, describe, expect, test } from 'bun:test'
import { randomFrom } from '../../../e2e/bench/data/random'
import type { SeededPeople, Workload } from '../../../e2e/bench/workloads/workload'
import { ORDERS } from '../../../e2e/bench/workloads/orders'
import { QUERIES } from '../../../e2e/bench/workloads/queries'
import { SEARCHES } from '../../../e2e/bench/workloads/searches'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { createIndexWorker } from '#engine/indexes/worker'
import { loadBenchPeople } from '#testing/bench-people'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

// Building an index waits for every transaction of the server, also for those of other tests.

const PEOPLE = 6000
/** The number of requests after which an index is built. */
const TIMES = 3

const service = useTestService({}, (db, now) => ({ indexes: createIndexAdvisor({ db, now, fromRows: PEOPLE / 20 }) }))
let seeded: SeededPeople
beforeAll(async () => {
  seeded = await loadBenchPeople(service, PEOPLE)
  const { db, url, appContext } = service
  const worker = createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 })
  // One more than that, because the number of records is unknown at the first request.
  for (let time = 0; time <= TIMES; time++) await Promise.all(WORKLOADS.map(ask))
  await appContext.indexes.flush()
  while ((await worker.buildNext()) !== undefined);
  await appContext.models.reload(service.workspaceId)
})

/** All workloads except the page whose offset needs a million people. */
const WORKLOADS = [...QUERIES.filter(({ name }) => name !== 'offset'), ...ORDERS, ...SEARCHES]

async function ask({ request }: Workload): Promise<void> {
  const { method, path, body } = request(randomFrom(5), seeded)
  const answer = await service.request(method, path, body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
}

/** The ends of the names of the indexes that each workload uses, without the index that joins the rows of a page by id. */
const LOOKED_INTO: readonly [workload: string, indexes: readonly string[]][] = [
  ['page', ['_created_at']],
  ['page-500', ['_created_at']],
  ['email', ['uniques_pkey']],
  ['rare-name', ['_full_name_trigram']],
  ['common-name', ['_full_name_trigram']],
  ['status-amount', ['_currency_value_descending']],
  ['path', ['_option_ordered', '_target_record_id']],
  ['path-sorted', ['_option_ordered', '_target_record_id']],
  // Every third record matches, so the fastest plan reads all records in their order.
  ['either', ['_created_at']],
  ['ids', ['_pkey']],
  // PostgreSQL counts all rows in the smallest index, which a test cannot predict, and not in the table.
  ['count', []],
  ['by-amount', ['_currency_value_ordered']],
  ['by-status', ['_option_<hash>_ordered']],
  ['by-label', ['_label_<hash>_ordered', '_target_record_id']],
  ['by-path', ['_option_<hash>_ordered', '_target_record_id']],
  ['search', ['_search_<hash>']],
  ['search-two', ['_search_<hash>']],
  ['search-typo', ['_search_<hash>']],
  ['search-common', ['_search_<hash>']],
]

/** Reads all people and companies. */
const WHOLE_TABLE = /Seq Scan on o_[12] /

describe('the indexes of the queries of the benchmark', () => {
  test('are listed for every workload', () => {
    expect(LOOKED_INTO.map(([name]) => name)).toEqual(WORKLOADS.map(({ name }) => name))
  })

  test.each(LOOKED_INTO)('%s: %j', async (name, indexes) => {
    const workload = WORKLOADS.find((each) => each.name === name)
    const plans = (await plansOf(service, async () => workload && ask(workload))).join('\n')
    const used = plans.matchAll(/(?:using|Bitmap Index Scan on) (\w+)/g).map(([, index]) => String(index))
    const endings = [...new Set(used)].map((index) => index.replace(/_[0-9a-f]{8}(?=_|$)/, '_<hash>'))
    for (const ending of indexes) expect(endings).toContainEqual(expect.stringMatching(new RegExp(`${ending}$`)))
    expect(plans).not.toMatch(WHOLE_TABLE)
  })
})
