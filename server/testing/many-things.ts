/** Creates an object with many records, and explains queries over it, for tests of indexes. */

import { getAttribute, getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { startsFromSortTarget } from '#engine/query/planning/query-indexes'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { compilePage } from '#engine/query/compile/page-statement'
import { createThings } from '#engine/query/testing/things'
import type { TestService } from './service'

/** Creates the object `things` with `count` records, whose values are computed from the number of the record. */
export async function seedThings({ db, request, appContext, workspaceId }: TestService, count: number): Promise<void> {
  await createThings(request)
  const things = getObject(await appContext.models.reload(workspaceId), 'things')
  const columns = Object.entries(VALUES).flatMap(([slug, members]) => {
    const { number, options } = getAttribute(things, slug)
    return Object.entries(members).map(([member, sql]) => ({
      name: `a_${number}_${member}`,
      sql: sql.replace('OPTION', String(options[0]?.number)),
    }))
  })
  await db.sql.unsafe(`
    insert into ${things.table} (id, created_at, created_by, updated_at, updated_by, ${columns.map(({ name }) => name).join(', ')})
    select gen_random_uuid(), timestamptz '2024-01-01' + n * interval '1 minute', 0,
      timestamptz '2025-01-01' + n * interval '1 second', 0, ${columns.map(({ sql }) => sql).join(', ')}
    from generate_series(1, ${count}) n`)
  await db.sql.unsafe(`analyze ${things.table}`)
}

const WORD = 'md5(n::text)'

/** The SQL expression of each member by slug. `n` is the number of the record. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  name: { value: `upper(${WORD})` },
  amount: { value: 'n % 1000 + 0.5' },
  stars: { value: 'n % 5' },
  price: { currency_value: 'n % 1000' },
  day: { value: `date '2024-01-01' + (n % 1000)` },
  moment: { value: `timestamptz '2024-01-01' + n * interval '1 hour'` },
  mail: {
    email_address: `${WORD} || '@' || left(${WORD}, 3) || '.com'`,
    original_email_address: `${WORD} || '@' || left(${WORD}, 3) || '.com'`,
    email_root_domain: `left(${WORD}, 3) || '.com'`,
  },
  site: { domain: `${WORD} || '.com'`, root_domain: `${WORD} || '.com'` },
  sites: {
    domain: `array[${WORD} || '.com', n || '.example.org']`,
    root_domain: `array[${WORD} || '.com', 'example.org']`,
  },
  mails: {
    email_address: `array[${WORD} || '@' || left(${WORD}, 3) || '.com', n || '@example.org']`,
    original_email_address: `array[${WORD} || '@' || left(${WORD}, 3) || '.com', n || '@example.org']`,
    email_root_domain: `array[left(${WORD}, 3) || '.com', 'example.org']`,
  },
  color: { option: 'case when n % 500 = 0 then OPTION end' },
  colors: { option: 'case when n % 500 = 0 then array[OPTION] end' },
}

/** Returns the plan of the query. */
export async function explain({ db }: TestService, model: DataModel, body: object): Promise<string> {
  const things = getObject(model, 'things')
  const query = resolveQuery(model, things, body, UNUSED_RELATIVE_CONTEXT)
  const page = { ...query, isPresentOnly: startsFromSortTarget(model, query.sorts) }
  const { text, parameters } = compilePage(model, things, page, 'h.*')
  const rows = await db.sql.unsafe<{ 'QUERY PLAN': string }[]>(`explain ${text}`, [...parameters])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
