/** Stores which records an import creates and changes, for its undo. See docs/decisions/import-runs-and-undo.md. */

import { prepareOptions } from '#db/connect'
import type { Stored } from '#engine/attribute-types/define'
import { timestampFromMicros } from '#base/timing/clock'
import { type AttributeChange, isChanged } from '#engine/storage/entity-change'
import { storedIn } from '#engine/storage/provenance'
import { statementText, typedParam } from '#engine/storage/statement'
import type { FurtherStep, WriteLog } from '#engine/storage/write-log'

export function createImportLog(importId: string): WriteLog {
  const texts = { import_id: importId }
  return {
    ofCreation: creationStep('import creation', texts, (param) => `array[${typedParam(param, 'id', 'uuid')}]`),
    // One row with the ids of all entities.
    ofCreations: creationStep('import creations', texts, (param) => typedParam(param, 'ids', 'uuid[]')),
    ofUpdate: (changes) => ({
      name: 'import update',
      text: (param, { schema }, { number }) =>
        `import_update as (insert into ${schema}.import_updates (import_id, record_id, written_at, object, previous)
          values (${typedParam(param, 'import_id', 'uuid')}, ${typedParam(param, 'id', 'uuid')}, ${typedParam(param, 'updated_at', 'timestamptz')}, ${number},
            ${typedParam(param, 'previous', 'jsonb')}) on conflict do nothing)`,
      texts: { ...texts, previous: statementText(previousValues(changes)) },
    }),
    async storeUpdate(tx, { schema }, { number }, { id, writtenAt }) {
      const statement = `
        insert into ${schema}.import_updates (import_id, record_id, written_at, object) values ($1, $2, $3, $4)
        on conflict do nothing`
      await tx.unsafe(statement, [importId, id, timestampFromMicros(writtenAt), number], prepareOptions(statement))
    },
  }
}

/** Stores the ids of the SQL of `idsOf`. */
const creationStep = (
  name: string,
  texts: FurtherStep['texts'],
  idsOf: (param: Parameters<FurtherStep['text']>[0]) => string,
): FurtherStep => ({
  name,
  text: (param, { schema }, { number }) =>
    `import_creation as (insert into ${schema}.import_creations (import_id, object, record_ids)
          values (${typedParam(param, 'import_id', 'uuid')}, ${number}, ${idsOf(param)}))`,
  texts,
})

/** The values of attributes without a history before an update, by the numbers of the attributes. */
export type PreviousValues = Readonly<Record<string, readonly Stored[]>>

function previousValues(changes: readonly AttributeChange[]): PreviousValues | null {
  const unrecorded = changes.filter((change) => !change.attribute.has_history && isChanged(change))
  if (unrecorded.length === 0) return null
  return Object.fromEntries(unrecorded.map(({ attribute, before }) => [attribute.number, storedIn(before)]))
}
