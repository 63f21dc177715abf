/** The statements that insert entities with their unique keys and change events. They write nothing unless the preconditions hold. */

import { cellsAsTypes, renderArray, rowsFromText, type Sql, type Transaction } from '#db/connect'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import { fillColumns } from '#engine/storage/entity-change'
import { layoutOf, PARENT_COLUMNS, type Row } from '#engine/storage/layout'
import { type Parent, parentValues } from '#engine/storage/read-entities'
import {
  preconditionTexts,
  type ReferenceTargets,
  targetTablesOf,
  VersionConflict,
  writeText,
} from '#engine/storage/preconditions'
import type { Creation, Provenance, Stamp } from '#engine/storage/provenance'
import {
  columnTexts,
  numbersOf,
  type Placeholder,
  runStorageStatement,
  statementFor,
  typedColumns,
  type TypedColumns,
  typedParam,
} from '#engine/storage/statement'
import { type FurtherStep, furtherSteps } from '#engine/storage/write-log'
import { asWriteConflict, keysShape, keySteps, keyTexts, type OwnedKey, uniqueKeys } from '#engine/storage/unique-keys'
import { hasEvents, type OutboxRow, outboxSteps, outboxTexts } from './outbox-step'
import { type NewRow, rowsText } from '#engine/storage/rows-text'

export interface NewEntity {
  readonly id: string
  readonly created: Creation
  /** The values by attribute; each attribute is stored in columns. */
  readonly contents: readonly {
    readonly attribute: Attribute
    readonly values: readonly Stored[]
    /** The provenance of values that were not created with the entity. */
    readonly entries?: Provenance[string]
  }[]
  /** Only of an entry. */
  readonly parent?: Parent
}

export interface EntityInsert {
  readonly entity: NewEntity
  readonly targets: readonly ReferenceTargets[]
  /** What the statement returns: the row for its renderer, or only the id. */
  readonly answer: 'row' | 'id'
  readonly outbox?: OutboxRow
  /** It can name the parameter `id`. */
  readonly furtherStep?: FurtherStep | undefined
}

/** What decides about the text of the statement. */
interface Shape extends EntityInsert {
  readonly attributes: readonly Attribute[]
  readonly keys: readonly OwnedKey[]
  /** Whether an entry is inserted only for a record without an entry in the list. */
  readonly requiresNoEntry: boolean
}

const COLUMNS_OF_ALL: TypedColumns = [
  ['id', 'uuid'],
  ['created_at', 'timestamptz'],
  ['created_by', 'int'],
  ['provenance', 'jsonb'],
]

/** Inserts one entity and returns its row. Throws `VersionConflict` and `UniqueKeyConflict`. */
export async function insertEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  insert: EntityInsert,
): Promise<Row> {
  const { entity, targets, answer, outbox, furtherStep } = insert
  const attributes = entity.contents.map(({ attribute }) => attribute)
  const keys = keysOf(entity)
  const requiresNoEntry = entity.parent?.uniqueKey !== undefined
  const steps = `${keysShape(keys)} ${requiresNoEntry} ${hasEvents(outbox)} ${furtherStep?.name}`
  const shape = `insert ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, shape, (param) =>
    insertText(param, model, entityType, { ...insert, attributes, keys, requiresNoEntry }),
  )
  try {
    const [row] = await runStorageStatement(db, statement, {
      ...preconditionTexts(model, targets),
      ...keyTexts(keys),
      ...columnTexts(columnsOfNew(entity)),
      ...furtherStep?.texts,
      ...outboxTexts(outbox),
    })
    if (!row) throw new VersionConflict()
    return row
  } catch (error) {
    throw asWriteConflict(error, keys, entity.id)
  }
}

function keysOf({ id, contents, parent }: NewEntity): OwnedKey[] {
  const keys: OwnedKey[] = parent?.uniqueKey ? [{ ...parent.uniqueKey, entity_id: id }] : []
  for (const { attribute, values } of contents) {
    if (attribute.is_unique) for (const key of uniqueKeys(attribute, values)) keys.push({ ...key, entity_id: id })
  }
  return keys
}

/** The contents of the columns, by name. */
function columnsOfNew({ id, created, contents, parent }: NewEntity): Readonly<Record<string, unknown>> {
  const columns: Record<string, unknown> = { ...parentValues(parent) }
  let provenance: Record<string, Provenance[string]> | null = null
  for (const { attribute, values, entries } of contents) {
    fillColumns(columns, attribute, values)
    if (entries) (provenance ??= {})[attribute.number] = entries
  }
  const created_at = timestampFromMicros(created.at)
  return Object.assign(columns, { id, created_at, created_by: created.actor, provenance })
}

const timeOfCreation = (param: Placeholder): string => typedParam(param, 'created_at', 'timestamptz')

/** Each column is a parameter of its own, which costs PostgreSQL the least. */
function insertText(param: Placeholder, model: DataModel, entityType: EntityType, shape: Shape): string {
  const { attributes, keys, targets, requiresNoEntry, answer, outbox, furtherStep } = shape
  const columns = [
    ...COLUMNS_OF_ALL,
    ...(entityType.kind === 'list' ? PARENT_COLUMNS : []),
    ...typedColumns(attributes),
  ]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const values = columns.map(([name, type]) => typedParam(param, name, type)).join(', ')
  const created = `${timeOfCreation(param)}, ${typedParam(param, 'created_by', 'int')}`
  const result = answer === 'id' ? 'h.id' : layoutOf(model, entityType).selectInserted(() => timeOfCreation(param))
  return writeText(param, {
    model,
    targets,
    before: requiresNoEntry ? [noEntry(param, entityType)] : [],
    written: `insert into ${entityType.table} as h (${names}, updated_at, updated_by)
      values (${values}, ${created}) returning ${result}`,
    count: '1',
    further: [
      ...keySteps(param, model, keys),
      ...furtherSteps(furtherStep, param, model, entityType),
      ...outboxSteps(param, model, outbox),
    ],
    answer: '*',
  })
}

/** The entries of the parent record in the list, of which there must be none. */
const noEntry = (param: Placeholder, { table }: EntityType) => ({
  name: 'entries',
  text: `select 1 from ${table} where parent_record_id = ${typedParam(param, 'parent_record_id', 'uuid')} limit 1`,
  count: '0',
})

// Many entities: all of them or none.

export interface ManyInsert {
  readonly rows: readonly NewRow[]
  readonly targets: readonly ReferenceTargets[]
  readonly stamp: Stamp
  readonly outbox: OutboxRow
  /** What the statement returns: the rows for their renderer, in any order, or nothing. */
  readonly answer: 'rows' | 'nothing'
  /** It can name the parameter `ids`. */
  readonly furtherStep?: FurtherStep | undefined
}

/** What decides about the text of the statement. */
interface ManyShape extends ManyInsert {
  /** Those that any of the rows has values of. */
  readonly attributes: readonly Attribute[]
  readonly keys: readonly OwnedKey[]
}

/**
 * Prepares the statement and its parameters. The function that it returns runs the statement; it throws `VersionConflict`
 * and `UniqueKeyConflict`. Throws `ReservedCharacterError`.
 */
export function prepareInsert(
  model: DataModel,
  entityType: EntityType,
  insert: ManyInsert,
): (db: Sql | Transaction) => Promise<Row[]> {
  const { rows, targets, stamp, outbox, answer, furtherStep } = insert
  const attributes = attributesOf(rows)
  const keys = keysOfRows(rows)
  const steps = `${keysShape(keys)} ${hasEvents(outbox)} ${furtherStep?.name}`
  const shape = `insert rows ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, shape, (param) =>
    insertManyText(param, model, entityType, { ...insert, attributes, keys }),
  )
  const texts = {
    ...preconditionTexts(model, targets),
    count: String(rows.length),
    rows: rowsText(attributes, rows),
    created_at: timestampFromMicros(stamp.now),
    created_by: String(stamp.actor),
    ...keyTexts(keys),
    ...(furtherStep && { ids: renderArray(rows.map(({ id }) => id)), ...furtherStep.texts }),
    ...outboxTexts(outbox),
  }
  return async (db) => {
    try {
      const inserted = await runStorageStatement(db, statement, texts)
      return answer === 'rows' ? inserted : []
    } catch (error) {
      throw asWriteConflict(error, keys, rows[0]?.id ?? '')
    }
  }
}

/** In the order of their numbers, so that more batches have the same statement. */
function attributesOf(rows: readonly NewRow[]): Attribute[] {
  const attributes = new Set<Attribute>()
  for (const { contents } of rows) for (const { attribute } of contents) attributes.add(attribute)
  return [...attributes].toSorted((a, b) => a.number - b.number)
}

function keysOfRows(rows: readonly NewRow[]): OwnedKey[] {
  const keys: OwnedKey[] = []
  for (const { id, contents } of rows) {
    for (const { attribute, values } of contents) {
      if (!attribute.is_unique) continue
      for (const { attribute: number, key } of uniqueKeys(attribute, values)) {
        keys.push({ attribute: number, key, entity_id: id })
      }
    }
  }
  return keys
}

/** It returns the rows of the entities or their number. */
function insertManyText(
  param: Placeholder,
  model: DataModel,
  entityType: EntityType,
  { attributes, keys, targets, outbox, answer, furtherStep }: ManyShape,
) {
  const parent = entityType.kind === 'list' ? PARENT_COLUMNS : []
  const columns: TypedColumns = [['id', 'uuid'], ...parent, ...typedColumns(attributes)]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const creation = `${timeOfCreation(param)}, ${typedParam(param, 'created_by', 'int')}`
  const result = answer === 'rows' ? layoutOf(model, entityType).selectInserted(() => timeOfCreation(param)) : '1'
  return writeText(param, {
    model,
    targets,
    written: `insert into ${entityType.table} as h (${names}, created_at, created_by, updated_at, updated_by)
      select ${cellsAsTypes(columns.map(([, type]) => type))}, ${creation}, ${creation}
      from ${rowsFromText(param('rows'))} returning ${result}`,
    count: typedParam(param, 'count', 'int'),
    further: [
      ...keySteps(param, model, keys),
      ...furtherSteps(furtherStep, param, model, entityType),
      ...outboxSteps(param, model, outbox),
    ],
    answer: answer === 'rows' ? '*' : 'count(*)::int',
  })
}
