/** Makes PostgreSQL end a statement as in a deadlock. */

import type { Database } from '#db/connect'
import { createTrigger } from './create-trigger'

/** The first update or deletion of a row of the table fails. A sequence keeps its number when a transaction ends. */
export async function failOnce(
  { db }: { readonly db: Pick<Database, 'sql'> },
  operation: 'update' | 'delete',
  table: string,
): Promise<void> {
  const name = `first_${operation}_of_${table}`
  await db.sql.unsafe(`create sequence ${name}`)
  const body = `
    if nextval('${name}') = 1 then raise exception using errcode = '40P01', message = 'deadlock'; end if;
    return coalesce(new, old);`
  await createTrigger(db, { name, when: `before ${operation} on relata.${table}`, body })
}
