/** Makes many people in a short time. */

import { connect } from '#db/connect'
import { importPeople } from '../import'
import type { Bench } from '../processes'

const IMPORTED = 20_000

/** Imports some people and multiplies their rows, because an import of a million takes minutes. Their addresses and companies repeat. */
export async function makePeople(bench: Bench, url: string, count: number): Promise<void> {
  const imported = Math.min(count, IMPORTED)
  await importPeople(bench, url, imported)
  const db = connect(url, { max: 1, applicationName: 'bench' })
  const columns = await db.sql<{ name: string; value: string }[]>`
    select quote_ident(attname) as name, case attname when 'id' then 'gen_random_uuid()' else quote_ident(attname) end as value
    from pg_attribute where attrelid = 'w_1.o_1'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
  const names = columns.map(({ name }) => name).join(', ')
  const values = columns.map(({ value }) => value).join(', ')
  for (let copies = 1; copies < count / imported; copies++)
    await db.sql.unsafe(
      `insert into w_1.o_1 (${names}) select ${values} from w_1.o_1 order by created_at, id limit ${imported}`,
    )
  await db.sql`vacuum analyze`
  await db.close()
}
