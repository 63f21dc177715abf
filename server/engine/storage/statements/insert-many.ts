/** The statement that inserts many entities with their unique keys and change events: all of them or none. */

import { cellsAsTypes, renderArray, rowsFromText, type Sql, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import { layoutOf, PARENT_COLUMNS, type Row } from '#engine/storage/layout'
import { preconditionTexts, type ReferenceTargets, targetTablesOf, writeText } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import { type NewRow, rowsText } from '#engine/storage/rows-text'
import {
  type Placeholder,
  numbersOf,
  runStorageStatement,
  statementFor,
  typedParam,
  typedColumns,
  type TypedColumns,
} from '#engine/storage/statement'
import { type FurtherStep, furtherSteps } from '#engine/storage/write-log'
import { asWriteConflict, uniqueKeys, keysShape, keySteps, keyTexts, type OwnedKey } from '#engine/storage/unique-keys'
import { hasEvents, type OutboxRow, outboxSteps, outboxTexts } from './outbox-step'

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
interface Shape extends ManyInsert {
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
  const keys = keysOf(rows)
  const steps = `${keysShape(keys)} ${hasEvents(outbox)} ${furtherStep?.name}`
  const shape = `insert rows ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, shape, (param) =>
    insertText(param, model, entityType, { ...insert, attributes, keys }),
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

function keysOf(rows: readonly NewRow[]): OwnedKey[] {
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
function insertText(
  param: Placeholder,
  model: DataModel,
  entityType: EntityType,
  { attributes, keys, targets, outbox, answer, furtherStep }: Shape,
) {
  const parent = entityType.kind === 'list' ? PARENT_COLUMNS : []
  const columns: TypedColumns = [['id', 'uuid'], ...parent, ...typedColumns(attributes)]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const creation = `${typedParam(param, 'created_at', 'timestamptz')}, ${typedParam(param, 'created_by', 'int')}`
  const result = answer === 'rows' ? layoutOf(model, entityType).selectNew : '1'
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
