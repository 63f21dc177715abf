/** Inserts entities of a dump, with their unique keys, and without change events. */

import { CELL_SEPARATOR, cellsAsTypes, NULL_CELL, ROW_SEPARATOR, rowsFromText, type Transaction } from '#db/connect'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Scalar } from '#engine/attribute-types/define'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { microsFromTimestamp } from '#base/timing/clock'
import { PARENT_COLUMNS } from '#engine/storage/layout'
import {
  type DatedValue,
  type Provenance,
  provenanceEntries,
  withEntries,
  withRefreshes,
} from '#engine/storage/provenance'
import { statementText, typedColumns, type TypedColumns } from '#engine/storage/statement'
import { uniqueKeys, type OwnedKey } from '#engine/storage/unique-keys'
import { type DumpedEntity, type DumpedValue, isDumped } from './read-dumped-entities'

const FIXED_COLUMNS: TypedColumns = [
  ['id', 'uuid'],
  ['created_at', 'timestamptz'],
  ['created_by', 'int'],
  ['updated_at', 'timestamptz'],
  ['updated_by', 'int'],
  ['version', 'int'],
  ['provenance', 'jsonb'],
]

type Cell = string | null

/** The cells of the row in PostgreSQL's text format, in the order of the columns, and the unique keys of an entity. */
export interface PreparedEntity {
  readonly cells: readonly Cell[]
  readonly keys: readonly OwnedKey[]
}

export interface DumpedEntityInserter {
  /** Throws for a timestamp that does not exist. */
  prepare(entity: DumpedEntity): PreparedEntity
  /** Throws the errors of PostgreSQL. */
  insert(tx: Transaction, entities: readonly PreparedEntity[]): Promise<void>
}

export function dumpedEntityInserter(model: DataModel, entityType: EntityType): DumpedEntityInserter {
  const attributes = entityType.attributes.filter(isDumped)
  const columns: TypedColumns = [
    ...FIXED_COLUMNS,
    ...(entityType.kind === 'list' ? PARENT_COLUMNS : []),
    ...typedColumns(attributes),
  ]
  const insertCells = cellsInserter(entityType, columns)
  return {
    prepare: (entity) => ({ cells: cellsOf(entityType, attributes, entity), keys: keysOf(attributes, entity) }),
    async insert(tx, entities) {
      await insertCells(
        tx,
        entities.map(({ cells }) => cells),
      )
      const keys = entities.flatMap((entity) => entity.keys)
      if (keys.length > 0) await insertKeys(tx, model, keys)
    },
  }
}

/** Rows with characters that separate cells are sent as JSON, which costs PostgreSQL twice as much. */
function cellsInserter({ table }: EntityType, columns: TypedColumns) {
  const names = columns.map(([name]) => name)
  const insert = `insert into ${table} (${names.join(', ')})`
  const fromText = `${insert} select ${cellsAsTypes(columns.map(([, type]) => type))} from ${rowsFromText('$1')}`
  const fromJson = `${insert} select ${columns.map(([name, type]) => `r.${name}::${type}`).join(', ')}
    from json_to_recordset($1::text::json) as r(${names.map((name) => `${name} text`).join(', ')})`
  return async (tx: Transaction, rows: readonly (readonly Cell[])[]): Promise<void> => {
    const lines = rows.filter((cells) => !hasSeparator(cells)).map(lineOf)
    const objects = rows
      .filter(hasSeparator)
      .map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])))
    if (lines.length > 0) await tx.unsafe(fromText, [lines.join(ROW_SEPARATOR)], { prepare: true })
    if (objects.length > 0) await tx.unsafe(fromJson, [JSON.stringify(objects)], { prepare: true })
  }
}

// oxlint-disable-next-line no-control-regex -- the pattern is to find them
const SEPARATOR = /[\x1d-\x1f]/

const hasSeparator = (cells: readonly Cell[]): boolean => cells.some((cell) => cell !== null && SEPARATOR.test(cell))

const lineOf = (cells: readonly Cell[]): string => cells.map((cell) => cell ?? NULL_CELL).join(CELL_SEPARATOR)

async function insertKeys(tx: Transaction, { schema }: DataModel, keys: readonly OwnedKey[]): Promise<void> {
  await tx.unsafe(
    `insert into ${schema}.uniques (attribute, key, entity_id) select attribute, key, entity_id
     from json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
     on conflict do nothing`,
    [JSON.stringify(keys)],
    { prepare: true },
  )
}

const keysOf = (attributes: readonly Attribute[], { id, values }: DumpedEntity) =>
  attributes.flatMap((attribute) =>
    uniqueKeys(
      attribute,
      (values[attribute.api_slug] ?? NONE).map(({ value }) => value),
    ).map((key) => ({
      ...key,
      entity_id: id,
    })),
  )

function cellsOf(entityType: EntityType, attributes: readonly Attribute[], entity: DumpedEntity): Cell[] {
  const { id, created_at, created_by, updated_at, updated_by, version, values } = entity
  const fixed = [id, created_at, created_by, updated_at, updated_by, version, provenanceOf(attributes, entity)]
  const parent = entityType.kind === 'list' ? [entity.parent_object, entity.parent_record_id] : []
  const cells = [...fixed, ...parent].map(statementText)
  for (const attribute of attributes) {
    const stored = (values[attribute.api_slug] ?? NONE).map(({ value }) => value)
    for (const { member } of columnsOf(attribute)) cells.push(cellOf(attribute, stored, member))
  }
  return cells
}

const NONE: readonly DumpedValue[] = []

/** An attribute without a value is null, also when it has several values. */
function cellOf(
  { is_multiselect }: Attribute,
  stored: readonly Readonly<Record<string, Scalar>>[],
  member: string,
): Cell {
  const [first] = stored
  if (first === undefined) return null
  return statementText(is_multiselect ? stored.map((value) => value[member] ?? null) : first[member])
}

function provenanceOf(attributes: readonly Attribute[], entity: DumpedEntity): Provenance | null {
  const { created_at, created_by, refreshes, values } = entity
  const created = { at: microsFromTimestamp(created_at), actor: created_by }
  const written = attributes
    .filter(({ api_slug }) => values[api_slug]?.some((value) => !isAsCreated(entity, value)) === true)
    .map((attribute) => {
      const datedValues = (values[attribute.api_slug] ?? NONE).map(datedValueOf)
      return { attribute, entries: provenanceEntries(datedValues, created) }
    })
  const provenance = withEntries(null, written)
  return refreshes > 0 ? withRefreshes(provenance, refreshes) : provenance
}

/** Most values are. Comparing the texts is faster than parsing them. */
const isAsCreated = ({ created_at, created_by }: DumpedEntity, value: DumpedValue): boolean =>
  value.active_from === created_at &&
  value.actor === created_by &&
  value.mirrored === undefined &&
  value.rank === undefined

const datedValueOf = ({ value, active_from, actor, mirrored, rank }: DumpedValue): DatedValue => ({
  stored: value,
  active_from: microsFromTimestamp(active_from),
  actor,
  writtenFromOtherSide: mirrored === true,
  ...(rank !== undefined && { rank }),
})
