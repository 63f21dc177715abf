/** The statement that inserts many entities with their unique keys and change events: all of them or none. */

import { cellsAsTypes, rowsFromText, type Sql, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import { layoutOf, PARENT_COLUMNS, type Row } from '#engine/storage/layout'
import {
  preconditions,
  preconditionTexts,
  type ReferenceTargets,
  targetTablesOf,
  VersionConflict,
} from '#engine/storage/preconditions'
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
import { asUniqueKeyConflict, uniqueKeys, keySteps, keyTexts, type OwnedKey } from '#engine/storage/unique-keys'
import { hasEvents, type OutboxRow, outboxSteps, outboxTexts } from './outbox-step'

export interface ManyInsert {
  readonly rows: readonly NewRow[]
  readonly targets: readonly ReferenceTargets[]
  readonly stamp: Stamp
  readonly outbox: OutboxRow
  /** What the statement returns: the rows for their renderer, in any order, or nothing. */
  readonly answer: 'rows' | 'nothing'
  /** Reads the ids of the step `inserted`, so the answer is nothing. */
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
  if (furtherStep !== undefined && answer === 'rows') throw new Error('A further step asks for no rows.')
  const attributes = attributesOf(rows)
  const keys = keysOf(rows)
  const steps = `${keys.length > 0} ${hasEvents(outbox)} ${furtherStep?.name}`
  const shape = `insert rows ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, shape, (param) =>
    insertText(param, model, entityType, { ...insert, attributes, keys }),
  )
  const texts = {
    ...preconditionTexts(model, targets),
    rows: rowsText(attributes, rows),
    created_at: timestampFromMicros(stamp.now),
    created_by: String(stamp.actor),
    ...keyTexts(keys),
    ...furtherStep?.texts,
    ...outboxTexts(outbox),
  }
  return async (db) => {
    try {
      const inserted = await runStorageStatement(db, statement, texts)
      const count = answer === 'rows' ? inserted.length : inserted[0]?.[0]
      if (count !== rows.length) throw new VersionConflict()
      return answer === 'rows' ? inserted : []
    } catch (error) {
      throw asUniqueKeyConflict(error, keys, rows[0]?.id ?? '')
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

/** The statement inserts all entities, or none when a precondition does not hold. It returns their rows or their number. */
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
  const steps = [
    ...preconditions(param, model, targets),
    ...keySteps(param, model, keys),
    ...outboxSteps(param, model, outbox, 'preconditions_met'),
  ]
  const insert = `insert into ${entityType.table} as h (${names}, created_at, created_by, updated_at, updated_by)
    select ${cellsAsTypes(columns.map(([, type]) => type))}, ${creation}, ${creation} from preconditions_met, ${rowsFromText(param('rows'))}`
  const further = furtherSteps(furtherStep, param, model, entityType)
  return answer === 'rows'
    ? `with ${steps.join(', ')} ${insert} returning ${layoutOf(model, entityType).selectNew}`
    : `with ${[...steps, `inserted as (${insert} returning id)`, ...further].join(', ')} select count(*)::int from inserted`
}
