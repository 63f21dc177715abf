/** Whether records were changed since an import wrote them. See docs/decisions/import-runs-and-undo.md. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { type DataModel, type EntityType, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { listsOf } from '#engine/storage/read-entities'
import type { Stored } from '#engine/attribute-types/define'
import { type AttributeChange, isChanged } from '#engine/storage/entity-change'
import { storedIn } from '#engine/storage/provenance'
import { statementText, typedParam } from '#engine/storage/statement'
import type { FurtherStep, WriteLog } from '#engine/storage/write-log'

interface ImportedRecord {
  readonly version: number
  readonly createdAt: Micros
  /** Whether somebody changed its values or added it to a list. What the service computes does not count. */
  readonly isChanged: boolean
}

/** Undefined if the record does not exist. */
export async function findImportedRecord(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { importId, id }: { readonly importId: string; readonly id: string },
): Promise<ImportedRecord | undefined> {
  const statement = `
    select h.version, h.created_at, ${changedSql(model, object)} as is_changed from ${object.table} h where h.id = $2`
  const [row] = await sql.unsafe<{ version: number; created_at: string; is_changed: boolean }[]>(
    statement,
    [importId, id],
    prepareOptions(statement),
  )
  return (
    row && { version: row.version, createdAt: microsFromPostgres(row.created_at), isChanged: row.is_changed === true }
  )
}

interface ImportedCounts {
  /** The records that the import created and that exist. */
  readonly created: number
  /** Those of them that were changed since. */
  readonly changed: number
  /** The records that existed before, exist now, and were changed by the import. */
  readonly updated: number
}

export async function countImported(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { importId, startedAt }: WrittenByImport,
): Promise<ImportedCounts> {
  const { schema } = model
  const statement = `
    with created as (
      select count(*)::int as created, (count(*) filter (where ${changedSql(model, object)}))::int as changed
      from ${schema}.import_creations c, unnest(c.record_ids) r(id) join ${object.table} h on h.id = r.id
      where c.import_id = $1),
    updated as (
      select count(distinct u.record_id)::int as updated
      from ${schema}.import_updates u join ${object.table} h on h.id = u.record_id
      where u.import_id = $1 and h.created_at < $2)
    select created, changed, updated from created, updated`
  const [row] = await sql.unsafe<ImportedCounts[]>(
    statement,
    [importId, timestampFromMicros(startedAt)],
    prepareOptions(statement),
  )
  return row ?? { created: 0, changed: 0, updated: 0 }
}

/** How many records or entries that exist a job changed. */
export async function countUpdated(
  sql: Sql,
  { schema }: DataModel,
  { table }: EntityType,
  { importId, startedAt }: WrittenByImport,
): Promise<number> {
  const statement = `
    select count(distinct u.record_id)::int as updated from ${schema}.import_updates u join ${table} h on h.id = u.record_id
    where u.import_id = $1 and h.created_at < $2`
  const parameters = [importId, timestampFromMicros(startedAt)]
  const [row] = await sql.unsafe<{ updated: number }[]>(statement, parameters, prepareOptions(statement))
  return row?.updated ?? 0
}

/**
 * SQL over the row `h` with the import as `$1`. Most records were never written again, so the version comes first. The time of the
 * last write tells of emptied attributes without a history.
 */
function changedSql(model: DataModel, object: ObjectType): string {
  const { schema } = model
  const byOther = (actor: string, at: string) => `${actor} <> ${SYSTEM_ACTOR} and not exists (
    select from ${schema}.import_updates u where u.import_id = $1 and u.record_id = h.id and u.written_at = ${at})`
  const writtenAt = `timestamptz 'epoch' + (e->>0)::bigint * interval '1 microsecond'`
  const entries = listsOf(model, object).map(
    ({ table }) => `or exists (select from ${table} l where l.parent_record_id = h.id)`,
  )
  return `(h.version > 1 and (
      (h.updated_at <> h.created_at and ${byOther('h.updated_by', 'h.updated_at')})
      or exists (
        select from jsonb_each(h.provenance) p, jsonb_array_elements(p.value) e
        where p.key <> 'refreshes' and jsonb_typeof(e) = 'array' and ${byOther('(e->>1)::int', writtenAt)})
      or exists (
        select from ${schema}.history x where x.entity_id = h.id and ${byOther('x.ended_by', 'x.active_until')}))
    ${entries.join(' ')})`
}

/** Reads the records that an import wrote and that still exist, page by page. See docs/decisions/import-runs-and-undo.md. */
export interface WrittenByImport {
  readonly importId: string
  /** Records that are older existed before the import. */
  readonly startedAt: Micros
}

/** Records that the import changed and that existed before it, by their ids. `after` is the last id of the previous page. */
export async function readImportUpdates(
  sql: Sql,
  { schema }: DataModel,
  object: EntityType,
  { importId, startedAt, after, limit }: WrittenByImport & { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const statement = `
    select distinct u.record_id from ${schema}.import_updates u join ${object.table} h on h.id = u.record_id
    where u.import_id = $1 and u.record_id > $2 and h.created_at < $3 order by u.record_id limit $4`
  const parameters = [importId, after, timestampFromMicros(startedAt), limit]
  const rows = await sql.unsafe<{ record_id: string }[]>(statement, parameters, prepareOptions(statement))
  return rows.map(({ record_id }) => record_id)
}

/** A place in the order in which the import created records. */
interface CreationPlace {
  readonly sequence: number
  /** The place among the ids of one statement, from 1. */
  readonly index: number
}

interface ImportCreation extends CreationPlace {
  readonly id: string
}

/** Records that the import created, in the order of creation. */
export async function readImportCreations(
  sql: Sql,
  { schema }: DataModel,
  object: EntityType,
  { importId, after, limit }: { readonly importId: string; readonly after: CreationPlace; readonly limit: number },
): Promise<readonly ImportCreation[]> {
  const statement = `
    select c.sequence::float8 as sequence, r.index::int as index, r.id
    from ${schema}.import_creations c, unnest(c.record_ids) with ordinality r(id, index)
    where c.import_id = $1 and c.sequence >= $2 and (c.sequence > $2 or r.index > $3)
      and exists (select from ${object.table} h where h.id = r.id)
    order by c.sequence, r.index limit $4`
  const parameters = [importId, after.sequence, after.index, limit]
  return sql.unsafe<ImportCreation[]>(statement, parameters, prepareOptions(statement))
}

/** The records that the import created after its first `counted` creations: a process stores creations before it counts them. */
export async function readUncountedCreations(
  sql: Sql,
  { schema }: DataModel,
  { importId, counted }: { readonly importId: string; readonly counted: number },
): Promise<readonly string[]> {
  const statement = `
    select r.id from (
      select sequence, record_ids, sum(cardinality(record_ids)) over (order by sequence) - cardinality(record_ids) as before
      from ${schema}.import_creations where import_id = $1) c, unnest(c.record_ids) with ordinality r(id, index)
    where c.before + r.index > $2`
  const rows = await sql.unsafe<{ id: string }[]>(statement, [importId, counted], prepareOptions(statement))
  return rows.map(({ id }) => id)
}

/** Reads and deletes what the workspace stores of imports. See docs/decisions/import-runs-and-undo.md. */
export interface ImportUpdate {
  readonly writtenAt: Micros
  /** The values before it of the attributes without a history that it changed. */
  readonly previous: PreviousValues
}

/** The updates of a record by an import, oldest first. */
export async function readImportUpdatesOf(
  sql: Sql | Transaction,
  { schema }: DataModel,
  { importId, id }: { readonly importId: string; readonly id: string },
): Promise<readonly ImportUpdate[]> {
  const statement = `
    select written_at, previous::text from ${schema}.import_updates where import_id = $1 and record_id = $2
    order by written_at`
  const rows = await sql.unsafe<{ written_at: string; previous: string | null }[]>(
    statement,
    [importId, id],
    prepareOptions(statement),
  )
  return rows.map(({ written_at, previous }) => ({
    writtenAt: microsFromPostgres(written_at),
    previous: previous === null ? {} : (JSON.parse(previous) as PreviousValues), // `previousValues` makes it
  }))
}

/** After their values were put back. */
export async function deleteImportUpdates(
  sql: Sql,
  { schema }: DataModel,
  { importId, id }: { readonly importId: string; readonly id: string },
): Promise<void> {
  const statement = `delete from ${schema}.import_updates where import_id = $1 and record_id = $2`
  await sql.unsafe(statement, [importId, id], prepareOptions(statement))
}

/** Their previous values are values of the records, which are deleted for good. */
export async function erasePreviousValues(
  tx: Transaction,
  { schema }: DataModel,
  recordIds: readonly string[],
): Promise<void> {
  const statement = `delete from ${schema}.import_updates where record_id = any($1::uuid[])`
  await tx.unsafe(statement, [renderArray(recordIds)], prepareOptions(statement))
}

const TABLES = ['import_creations', 'import_updates']

/** After this, the imports cannot be undone. `schema` is quoted, as in `DataModel.schema`. */
export async function deleteWrittenBy(sql: Sql, schema: string, importIds: readonly string[]): Promise<void> {
  for (const table of TABLES) {
    const statement = `delete from ${schema}.${table} where import_id = any($1::uuid[])`
    await sql.unsafe(statement, [renderArray(importIds)], prepareOptions(statement))
  }
}

/** When the object is deleted. */
export async function deleteImportsInto(tx: Transaction, { schema }: DataModel, { number }: EntityType): Promise<void> {
  for (const table of TABLES) {
    const statement = `delete from ${schema}.${table} where object = $1`
    await tx.unsafe(statement, [number], prepareOptions(statement))
  }
}

// Stores which records an import creates and changes, or a job changes, for its undo. See docs/decisions/import-runs-and-undo.md.

/** `importId` is the id of the import or of the job. */
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
    ofUpdates: (changes) => ({
      name: 'import updates',
      text: (param, { schema }, { number }) =>
        `import_updates as (insert into ${schema}.import_updates (import_id, record_id, written_at, object, previous)
          select ${typedParam(param, 'import_id', 'uuid')}, u.id, ${typedParam(param, 'updated_at', 'timestamptz')}, ${number}, u.previous::jsonb
          from unnest(${typedParam(param, 'id', 'uuid[]')}, ${typedParam(param, 'previous', 'text[]')}) u(id, previous) on conflict do nothing)`,
      texts: { ...texts, previous: statementText(changes.map((each) => statementText(previousValues(each)))) },
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
type PreviousValues = Readonly<Record<string, readonly Stored[]>>

function previousValues(changes: readonly AttributeChange[]): PreviousValues | null {
  const unrecorded = changes.filter((change) => !change.attribute.has_history && isChanged(change))
  if (unrecorded.length === 0) return null
  return Object.fromEntries(unrecorded.map(({ attribute, before }) => [attribute.number, storedIn(before)]))
}
