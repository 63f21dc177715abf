/**
 * Statements that move to the trash what a deletion deletes. Each deletes and inserts in one statement, so that the rows do not
 * pass through this process. See docs/decisions/trash-and-merges.md.
 */

import { prepareOptions, renderArray, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import { textsOfOthers } from '#engine/rollups/definition'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { parentUniqueKey } from '#engine/storage/read-entities'
import type { Creation } from '#engine/storage/provenance'

/** The deletion of records that are kept in the trash. */
export interface TrashedRecords {
  readonly deleted: Creation
  readonly expiresAt: Micros
  /** The record that a merge makes of these. */
  readonly mergedInto?: string
}

const DAY_MICROS = 86_400_000_000

export const expiryOf = (deletedAt: Micros, trashDays: number): Micros => deletedAt + trashDays * DAY_MICROS

/** A deletion, of records that are kept in the trash unless `trashed` is undefined. */
export interface Deletion {
  readonly tx: Transaction
  readonly model: DataModel
  readonly trashed?: TrashedRecords | undefined
}

/**
 * What was deleted with a record. Entities are whole rows as JSON, so that restoring them needs no attribute type.
 *
 * | kind             | holds                                                                              |
 * |------------------|------------------------------------------------------------------------------------|
 * | `entries`        | the rows of its entries in the list `entity_type`                                  |
 * | `keys`           | the unique keys of entries that were created by asserting                          |
 * | `history`        | ended values of the record and its entries                                         |
 * | `references`     | values of `attribute` of other entities that referred to the record                |
 * | `own_references` | values of `attribute` that referred to a record that was in the trash at the time  |
 * | `moved_entries`  | ids of entries in the list `entity_type` that a merge moved                         |
 * | `ended_references` | numbers of ended values of other entities that referred to the record            |
 * | `merged_ids`     | ids of records that were merged into the record before                             |
 * | others           | rows of the control table with this name; see `attachments/trashed-attachments.ts`  |
 */
export type PartKind =
  'entries' | 'keys' | 'history' | 'references' | 'own_references' | 'moved_entries' | 'ended_references' | 'merged_ids'

/** The text of a `delete` without `returning`. */
interface DeleteText {
  readonly text: string
  readonly parameters: readonly (string | number)[]
}

/** Deletes rows of an entity type. Returns their number. */
export function deleteRows(deletion: Deletion, entityType: EntityType, rows: DeleteText): Promise<number> {
  const { tx, trashed } = deletion
  const { text, parameters } = rows
  if (trashed === undefined) return run(tx, `${text} returning 1`, parameters)
  return entityType.kind === 'list'
    ? deleteEntries(deletion, entityType, rows)
    : deleteRecord(deletion, entityType, trashed, rows)
}

function deleteRecord(
  { tx, model }: Deletion,
  object: EntityType,
  trashed: TrashedRecords,
  { text, parameters }: DeleteText,
) {
  const [at, by, expires, merged] = [1, 2, 3, 4].map((index) => `$${parameters.length + index}`)
  const statement = `
    with deleted as (${text} returning *)
    insert into ${model.schema}.trash (id, object, deleted_at, deleted_by, expires_at, merged_into, content)
    select d.id, ${object.number}, ${at}, ${by}, ${expires}, ${merged}, ${contentOf(model, object)} from deleted d returning 1`
  const { deleted, expiresAt, mergedInto = null } = trashed
  return run(tx, statement, [
    ...parameters,
    timestampFromMicros(deleted.at),
    deleted.actor,
    timestampFromMicros(expiresAt),
    mergedInto,
  ])
}

async function deleteEntries({ tx, model }: Deletion, list: EntityType, { text, parameters }: DeleteText) {
  const source = { record: 'd.parent_record_id', content: `json_agg(${contentOf(model, list)})`, from: 'deleted d' }
  const parts = insertParts(model, { kind: 'entries', entityType: list.number, ...source })
  const statement = `with deleted as (${text} returning *) ${parts} returning json_array_length(content) as entries`
  const rows = await tx.unsafe<{ entries: number }[]>(statement, [...parameters], prepareOptions(statement))
  return rows.reduce((sum, { entries }) => sum + entries, 0)
}

/**
 * The row `d` as JSON, without texts that are copies of those of other entities: when these are deleted for good, nothing would find the copies. The
 * worker computes them after a restoration.
 */
function contentOf(model: DataModel, entityType: EntityType): string {
  const columns = textsOfOthers(model, entityType).flatMap((attribute) =>
    columnsOf(attribute).flatMap(({ name }) => name ?? []),
  )
  return columns.length === 0 ? 'to_json(d)' : `(to_jsonb(d) - '{${columns.join(',')}}'::text[])::json`
}

/** Deletes unique keys `u`. Only those of entries by their parent record cannot be computed again from the values. */
export async function deleteKeys(
  { tx, model, trashed }: Deletion,
  entityType: EntityType,
  { text, parameters }: DeleteText,
): Promise<void> {
  if (trashed === undefined || entityType.kind !== 'list') {
    await run(tx, text, parameters)
    return
  }
  const { attribute } = parentUniqueKey(entityType, '')
  const from = `deleted d where d.attribute = ${attribute}`
  const parts = insertParts(model, { kind: 'keys', record: 'd.key::uuid', content: 'json_agg(d)', from })
  await run(tx, `with deleted as (${text} returning u.*) ${parts}`, parameters)
}

/** Deletes ended values of entities, of which each belongs to a record: itself, or its parent record. */
export async function deleteEnded(
  { tx, model, trashed }: Deletion,
  { text, parameters }: DeleteText,
  recordIds: ReadonlyMap<string, string>,
): Promise<void> {
  if (trashed === undefined) {
    await run(tx, text, parameters)
    return
  }
  const [ids, records] = [1, 2].map((index) => `$${parameters.length + index}::uuid[]`)
  const parts = insertParts(model, {
    kind: 'history',
    record: 'r.record_id',
    content: 'json_agg(d order by d.sequence)',
    from: `deleted d join unnest(${ids}, ${records}) as r(entity_id, record_id) using (entity_id)`,
  })
  await run(tx, `with deleted as (${text} returning *) ${parts}`, [
    ...parameters,
    renderArray([...recordIds.keys()]),
    renderArray([...recordIds.values()]),
  ])
}

/** A reference to a record in the trash, or of one. */
export interface TrashedReference {
  readonly entity_id: string
  /** The provenance; null if the value was created with the entity. */
  readonly entry: readonly (number | null)[] | null
  /** The position among several values. */
  readonly index?: number | null
  /** Only of `own_references`. */
  readonly target_object?: number
  readonly target_record_id?: string
}

/** The insert of the values of `attribute` in the rows `from`, with the columns `id`, `target_record_id`, and `entry` for the provenance. */
export const insertReferences = (model: DataModel, { number }: Attribute, from: string): string =>
  insertParts(model, {
    kind: 'references',
    record: 'target_record_id',
    attribute: number,
    content: `json_agg(json_build_object('entity_id', id, 'entry', entry))`,
    from,
  })

interface PartSource {
  readonly kind: PartKind
  /** SQL of the id of a row's record. */
  readonly record: string
  readonly entityType?: number
  readonly attribute?: number
  /** An aggregate over the rows of `from` of a record. */
  readonly content: string
  readonly from: string
}

/** Inserts a part for each record that has rows. */
const insertParts = (
  { schema }: DataModel,
  { kind, record, entityType, attribute, content, from }: PartSource,
): string => `
  insert into ${schema}.trash_parts (record_id, kind, entity_type, attribute, content)
  select ${record}, '${kind}', ${entityType ?? 'null'}::int, ${attribute ?? 'null'}::int, ${content}
  from ${from} group by ${record}`

const run = async (tx: Transaction, text: string, parameters: readonly (string | number | null)[]): Promise<number> =>
  (await tx.unsafe(text, [...parameters], prepareOptions(text))).length
