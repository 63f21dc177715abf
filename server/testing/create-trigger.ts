import { allowTriggers } from '#db/citus'
import type { Database } from '#db/connect'

interface TriggerSpec {
  /** The name of the trigger and of its function. */
  readonly name: string
  /** For example `after insert on relata.imports`. */
  readonly when: string
  /** The statements of the function in PL/pgSQL. */
  readonly body: string
}

/** Creates a trigger for each row. */
export async function createTrigger({ sql }: Pick<Database, 'sql'>, { name, when, body }: TriggerSpec): Promise<void> {
  await sql.begin(async (tx) => {
    await allowTriggers(tx)
    await tx.unsafe(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`)
    await tx.unsafe(`create trigger ${name} ${when} for each row execute function ${name}()`)
  })
}
