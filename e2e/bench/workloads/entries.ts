/** Entries of lists: pages filtered by values of entries and of their records, and entries that are created or changed. */

import type { Sql } from '#db/connect'
import type { Request } from '../measure/http-client'
import { PLACES } from '../data/words'
import { anyone, type Workload } from './workload'

/** Two lists of people: one with an entry for every person, and an empty one. */
export const FULL_LIST = 'pipeline'
export const EMPTY_LIST = 'outreach'

export const STAGES = ['Sourced', 'Approached', 'Meeting', 'Offer', 'Closed'] as const

const PLACE_OF_PARENT = [
  [FULL_LIST, 'parent_record'],
  ['people', 'primary_location'],
]

export const ENTRIES: readonly Workload[] = [
  {
    name: 'entry-page',
    title: 'entries by stage, by parent',
    request: (random) => ({
      method: 'POST',
      path: `/v2/lists/${FULL_LIST}/entries/query`,
      body: {
        filter: {
          $and: [
            { stage: random.one(STAGES) },
            { path: PLACE_OF_PARENT, constraints: { locality: random.one(PLACES).locality } },
          ],
        },
        limit: 50,
      },
    }),
    target: { rate: 0.5 },
    isQuery: true,
    needs: 'entries',
  },
  {
    name: 'entry-upsert',
    title: 'change the entry of a record',
    request: (random, seeded) =>
      upsert(FULL_LIST, anyone(random, seeded).id, { note: `Called, attempt ${seeded.next()}` }),
    target: { rate: 0.4 },
    needs: 'entries',
    check: (sql) => refuseRepeated(sql, FULL_LIST),
  },
  {
    name: 'entry-first',
    title: 'make the entry of a record',
    request: (random, seeded) =>
      upsert(EMPTY_LIST, anyone(random, seeded).id, {
        stage: random.one(STAGES),
        worth: random.below(50_000),
        note: `Called, attempt ${seeded.next()}`,
      }),
    target: { rate: 0.4 },
    needs: 'entries',
    check: (sql) => refuseRepeated(sql, EMPTY_LIST),
  },
]

const upsert = (list: string, parent_record_id: string, entry_values: object): Request => ({
  method: 'PUT',
  path: `/v2/lists/${list}/entries`,
  body: { data: { parent_object: 'people', parent_record_id, entry_values } },
})

/** Throws when concurrent asserts made several entries of one record. */
async function refuseRepeated(sql: Sql, list: string): Promise<void> {
  const [owner] = await sql<{ table: string }[]>`
    select format('w_%s.l_%s', w.number, o.number) as table
    from relata.entity_types o join relata.workspaces w on w.id = o.workspace_id
    where o.kind = 'list' and o.api_slug = ${list}`
  const repeated = await sql.unsafe(
    `select parent_record_id from ${owner?.table} group by parent_record_id having count(*) > 1 limit 1`,
  )
  if (repeated.length > 0) throw new Error(`A record is twice in ${list}.`)
}
