/** Creates many records in one statement, which is made ready before it is sent. */

import type { Sql, Transaction } from '../../../db/connect'
import { cellsAsTypes, rowsFromText } from '../../../db/rows-as-text'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { timestampFromMicros } from '../../timing/clock'
import { distinctValues, type Stamp } from './apply-values'
import { onUniqueKeyConflict } from './retry-on-conflict'
import { preconditions, preconditionTexts, tablesOf, type ReferenceTargets } from '../../storage/preconditions'
import { keySteps, keyTexts, type OwnedKey } from '../../storage/statements/unique-key-step'
import type { Assignment } from './parse-values'
import { type NewRow, rowsText } from '../../storage/rows-text'
import {
  type At,
  numbersOf,
  runStatement,
  statementFor,
  typed,
  typedColumns,
  type TypedColumns,
} from '../../storage/statement'
import { tellCreated, tellPartners } from './change-events'
import { hasEvents, type OutboxRows, outboxSteps, outboxTexts } from '../../storage/statements/outbox-step'
import { uniqueKeys } from '../../storage/unique-keys'
import { UniqueKeyConflict, VersionConflict, targetsOf } from './save-change'

/** A record to be created: its id, and what it is to hold. */
export interface NewRecord {
  readonly id: string
  readonly assignments: readonly Assignment[]
}

/** Sends what was made ready. Throws `VersionConflict` and `UniqueKeyConflict` for `attempt`. */
export type Create = (db: Sql | Transaction) => Promise<void>

/**
 * Makes ready what creates all of them or none, with their unique keys, and tells it. Derived sides of relationships are
 * passed over. Throws `Reserved` when they cannot be written together.
 */
export function prepareMany(model: DataModel, object: ObjectType, records: readonly NewRecord[], stamp: Stamp): Create {
  const rows = records.map(readRow)
  const insert: Insert = {
    rows,
    attributes: attributesOf(rows),
    keys: keysOf(rows),
    targets: targetsOf(model, referencesOf(rows)),
    stamp,
    told: { origin: { at: stamp.now, actor: stamp.actor }, events: tellAll(model, object, rows) },
  }
  const { statement, texts } = insertRows(model, object, insert)
  const first = rows[0]?.id ?? ''
  return async (db) => {
    try {
      const [[created] = []] = await runStatement(db, statement, texts)
      if (created !== records.length) throw new VersionConflict()
    } catch (error) {
      throw onUniqueKeyConflict(error, () => new UniqueKeyConflict(insert.keys, first))
    }
  }
}

interface Insert {
  readonly rows: readonly NewRow[]
  /** Whose values any of them has; the rest stay null. */
  readonly attributes: readonly Attribute[]
  readonly keys: readonly OwnedKey[]
  readonly targets: readonly ReferenceTargets[]
  readonly stamp: Stamp
  readonly told: OutboxRows
}

/**
 * One event of each, and one of each record whose other side of a relationship gained any of them.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */
function tellAll(model: DataModel, object: ObjectType, rows: readonly NewRow[]): ChangeEvent[] {
  const events = rows.flatMap((row) => tellCreated(model, object, row, []))
  const gaining = new Map<Attribute, Set<string>>()
  for (const { contents } of rows) {
    for (const { attribute, values } of contents) {
      if (attribute.relationship_attribute_id === null) continue
      const ids = gaining.get(attribute) ?? new Set()
      gaining.set(attribute, ids)
      for (const { target_record_id } of values) ids.add(String(target_record_id))
    }
  }
  for (const [attribute, ids] of gaining) tellPartners(events, model, attribute, ids)
  return events
}

function readRow({ id, assignments }: NewRecord): NewRow {
  const contents: Assignment[] = []
  for (const assignment of assignments) {
    const { attribute, values } = assignment
    if (attribute.stored_in !== 'columns' || values.length === 0) continue
    contents.push(values.length > 1 ? { attribute, values: distinctValues(attribute, values) } : assignment)
  }
  return { id, contents }
}

/** Few of what rows hold. */
function referencesOf(rows: readonly NewRow[]): Assignment[] {
  const references: Assignment[] = []
  for (const { contents } of rows) {
    for (const content of contents) if (content.attribute.type === 'record-reference') references.push(content)
  }
  return references
}

/** In the order of their numbers, so that the same statement serves again. */
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

/** It answers how many were made: all, or none when model or targets are not as expected. */
function insertRows(model: DataModel, object: ObjectType, insert: Insert) {
  const { rows, attributes, keys, targets, stamp, told } = insert
  const shape = `insert rows ${numbersOf(attributes)} ${tablesOf(targets)} ${keys.length > 0} ${hasEvents(told)}`
  const statement = statementFor(object, shape, (at) => insertText(at, model, object, insert))
  const texts = {
    ...preconditionTexts(model, targets),
    rows: rowsText(attributes, rows),
    created_at: timestampFromMicros(stamp.now),
    created_by: String(stamp.actor),
    ...keyTexts(keys),
    ...outboxTexts(told),
  }
  return { statement, texts }
}

function insertText(at: At, model: DataModel, object: ObjectType, { attributes, keys, targets, told }: Insert) {
  const columns: TypedColumns = [['id', 'uuid'], ...typedColumns(attributes)]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const made = `${typed(at, 'created_at', 'timestamptz')}, ${typed(at, 'created_by', 'int')}`
  const steps = [...preconditions(at, targets), ...keySteps(at, model, keys), ...outboxSteps(at, told, 'go')]
  steps.push(`made as (insert into ${object.table} (${names}, created_at, created_by, updated_at, updated_by)
    select ${cellsAsTypes(columns.map(([, type]) => type))}, ${made}, ${made} from go, ${rowsFromText(at('rows'))} returning 1)`)
  return `with ${steps.join(', ')} select count(*)::int from made`
}
