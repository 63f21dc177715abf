/** The active and the ended values of one attribute of one entity. See docs/reference/values.md (History). */

import type { Sql, Transaction } from '#db/connect'
import type { Stored } from '#engine/attribute-types/define'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import { nextTurn } from '#base/timing/in-slices'
import type { EndedValue } from './entity-change'
import { compileLayout, creationOf, provenanceOf, getPartner } from './layout'
import type { DatedValue } from './provenance'
import { rowsOf } from './statement'

/** A value with its end; null while it is active. */
export type ValueWithEnd = DatedValue & { readonly active_until: Micros | null }

/** The active values of one attribute, in stored order; undefined when the entity does not exist. */
export async function readActive(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  attribute: Attribute,
  id: string,
): Promise<ValueWithEnd[] | undefined> {
  const layout = compileLayout(model, entityType, [attribute])
  const query = `select ${layout.select} from ${entityType.table} h where h.id = $1`
  const [row] = await rowsOf(db.unsafe(query, [id], { prepare: true }))
  if (!row) return undefined
  const datedValues = layout.attributes[0]?.read(row, creationOf(row), provenanceOf(row)) ?? []
  return datedValues.map((datedValue) => ({ ...datedValue, active_until: null }))
}

interface HistoryRow {
  readonly sequence: string
  readonly entity_id: string
  readonly active_from: string
  readonly active_until: string
  readonly actor: number
  readonly mirrored: boolean
  readonly value: string
}

/** The ended values of one attribute, oldest first. The derived side of a relationship reads those of its partner. */
export async function readEnded(
  db: Sql | Transaction,
  model: DataModel,
  attribute: Attribute,
  id: string,
): Promise<ValueWithEnd[]> {
  const values: ValueWithEnd[] = []
  for await (const part of readEndedInParts(db, model, attribute, id)) values.push(...part)
  return values
}

/** Compressed bytes. PostgreSQL makes a text at most a hundred times shorter. */
const MAX_PART_BYTES = 50_000
/** The driver decodes a longer value in the turn of the event loop in which it arrives, and the service parses it in the next one. */
const MAX_LENGTH_IN_TURN = 500_000

/**
 * The same values in parts, which end by their size. The size of a compressed value is known without reading it, so PostgreSQL sends
 * only the values of the part. See docs/decisions/exports-and-large-pages.md.
 */
export async function* readEndedInParts(
  db: Sql | Transaction,
  model: DataModel,
  attribute: Attribute,
  id: string,
): AsyncGenerator<ValueWithEnd[], void> {
  const derived = attribute.stored_in === 'partner'
  const stored = derived ? getPartner(model, attribute).attribute : attribute
  const of = derived ? `value ? 'target_record_id' and value->>'target_record_id' = $2` : 'entity_id = $2'
  const entityType = entityTypeOf(model, stored).number
  const valueOf = (row: HistoryRow): ValueWithEnd => ({
    stored: derived
      ? { target_object: entityType, target_record_id: row.entity_id }
      : (JSON.parse(row.value) as Stored), // written by `insertHistory` and updates
    active_from: microsFromPostgres(row.active_from),
    active_until: microsFromPostgres(row.active_until),
    actor: row.actor,
    writtenFromOtherSide: derived ? !row.mirrored : row.mirrored,
  })
  let last: Pick<HistoryRow, 'active_from' | 'sequence'> | undefined
  for (;;) {
    const rows: (HistoryRow & { readonly left: string })[] = await db.unsafe(
      `select * from (
         select sequence, entity_id, active_from, active_until, actor, mirrored, value, count(*) over () as left,
           sum(pg_column_size(value)) over (order by active_from, sequence) - pg_column_size(value) as before
         from ${model.schema}.history
         where attribute = $1 and ${of}${last === undefined ? '' : ' and (active_from, sequence) > ($3::timestamptz, $4::bigint)'}
       ) e where before < ${MAX_PART_BYTES} order by active_from, sequence`,
      [stored.number, id, ...(last === undefined ? [] : [last.active_from, last.sequence])],
      { prepare: true },
    )
    const values: ValueWithEnd[] = []
    for (const row of rows) {
      if (row.value.length > MAX_LENGTH_IN_TURN) await nextTurn()
      values.push(valueOf(row))
    }
    yield values
    last = rows.at(-1)
    if (last === undefined || rows.length === Number(rows[0]?.left)) return
  }
}

/** All values of one attribute, oldest first; undefined when the entity does not exist. */
export async function readAllValues(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  attribute: Attribute,
  id: string,
): Promise<ValueWithEnd[] | undefined> {
  const active = await readActive(db, model, entityType, attribute, id)
  if (!active) return undefined
  const ended = attribute.stored_in === 'entity' ? [] : await readEnded(db, model, attribute, id)
  return [...ended, ...active].sort((a, b) => a.active_from - b.active_from)
}

/** Inserts ended values. */
export async function insertHistory(tx: Transaction, model: DataModel, ended: readonly EndedValue[]): Promise<void> {
  if (ended.length === 0) return
  const columns = 'entity_id, attribute, active_from, active_until, actor, mirrored, value, ended_by'
  await tx.unsafe(
    `insert into ${model.schema}.history (${columns}) select ${columns} from json_to_recordset($1::text::json)
     as e(entity_id uuid, attribute int, active_from timestamptz, active_until timestamptz, actor int, mirrored boolean, value jsonb, ended_by int)`,
    [JSON.stringify(ended)],
  )
}

/** Deletes the ended values of one attribute of one entity. */
export async function deleteHistory(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  id: string,
): Promise<void> {
  await tx.unsafe(`delete from ${model.schema}.history where attribute = $1 and entity_id = $2`, [attribute.number, id])
}
