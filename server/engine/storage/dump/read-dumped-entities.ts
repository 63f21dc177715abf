/** Reads all entities of an entity type in the order of their ids, a page at a time, so that memory holds one page. */

import type { Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import {
  compileLayout,
  createdAtText,
  creationOf,
  creatorOf,
  idOf,
  type Layout,
  parentOf,
  POSITION,
  provenanceOf,
  type Row,
  updatedAtText,
  versionOf,
} from '#engine/storage/layout'
import { type DatedValue, refreshesOf } from '#engine/storage/provenance'
import { rowsOf } from '#engine/storage/statement'
import type { Scalar } from '#engine/attribute-types/define'

const MAX_PAGE = 500
/** Pages of wide rows become smaller than `MAX_PAGE`, so that a page stays about this large. */
const PAGE_CHARACTERS = 4_000_000

/**
 * Whether a dump has the values of an attribute. It has none that are columns of every entity, derived, or computed without history. The
 * values of tracked computed attributes say since when they are active.
 */
export const isDumped = ({ stored_in, has_history }: Attribute): boolean =>
  stored_in === 'columns' || (['formula', 'worker'].includes(stored_in) && has_history)

/** Yields the entities as lines of JSON. The transaction decides which state they show. */
export async function* readDumpedEntities(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
): AsyncGenerator<readonly string[]> {
  const layout = compileLayout(model, entityType, entityType.attributes.filter(isDumped))
  const text = `select ${layout.select} from ${entityType.table} h where h.id > $1 order by h.id limit $2`
  let limit = MAX_PAGE
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const rows = await rowsOf(tx.unsafe(text, [after, limit], { prepare: true }))
    const last = rows.at(-1)
    if (last === undefined) return
    const lines = rows.map((row) => JSON.stringify(dumpEntity(entityType, layout, row)))
    yield lines
    after = idOf(last)
    limit = nextLimit(lines)
  }
}

/** As many rows as make a page of the intended size, judged by the page before. */
function nextLimit(lines: readonly string[]): number {
  const characters = lines.reduce((sum, { length }) => sum + length, 0)
  return Math.min(MAX_PAGE, Math.max(1, Math.floor((PAGE_CHARACTERS * lines.length) / characters)))
}

function dumpEntity(entityType: EntityType, layout: Layout, row: Row): DumpedEntity {
  const created = creationOf(row)
  const provenance = provenanceOf(row)
  const values: Record<string, DumpedValue[]> = {}
  for (const { attribute, read } of layout.attributes) {
    const datedValues = read(row, created, provenance)
    if (datedValues.length > 0) values[attribute.api_slug] = datedValues.map(dumpValue)
  }
  const parent = entityType.kind === 'list' ? parentOf(row) : undefined
  return {
    id: idOf(row),
    created_at: timestampFromPostgres(createdAtText(row)),
    created_by: creatorOf(row),
    updated_at: timestampFromPostgres(updatedAtText(row)),
    updated_by: row[POSITION.updated_by] as number, // an int column, not null
    version: versionOf(row),
    refreshes: refreshesOf(provenance),
    ...(parent && { parent_object: parent.object, parent_record_id: parent.recordId }),
    values,
  }
}

const dumpValue = ({ stored, active_from, actor, writtenFromOtherSide, rank }: DatedValue): DumpedValue => ({
  active_from: timestampFromMicros(active_from),
  active_until: null,
  actor,
  ...(writtenFromOtherSide && { mirrored: true }),
  ...(rank !== undefined && { rank }),
  value: stored,
})

// The form of a record or an entry in an exported workspace. See docs/export-format.md (Records and entries).

/** An active value. The values that have ended are rows of the history. */
export interface DumpedValue {
  readonly active_from: string
  readonly active_until: null
  /** The number of the actor. */
  readonly actor: number
  /** Present when the value was written from the other side of its relationship. */
  readonly mirrored?: true
  /** The place on the derived side of the relationship, where it differs from the order of `active_from`. */
  readonly rank?: number
  /** The stored members, which the attribute type defines. */
  readonly value: Readonly<Record<string, Scalar>>
}

export interface DumpedEntity {
  readonly id: string
  readonly created_at: string
  readonly created_by: number
  readonly updated_at: string
  readonly updated_by: number
  readonly version: number
  /** How many of the versions are refreshes of computed attributes. */
  readonly refreshes: number
  /** The number of the object. Only of an entry. */
  readonly parent_object?: number
  /** Only of an entry. */
  readonly parent_record_id?: string
  /** By the slug of the attribute, in stored order. Attributes without a value are absent. */
  readonly values: Readonly<Record<string, readonly DumpedValue[]>>
}
