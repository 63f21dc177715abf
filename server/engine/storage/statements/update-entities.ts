/**
 * The statements that update entities: their rows, their history, their unique keys and their change events. They write nothing unless
 * the preconditions hold and each entity still has the version that its change was computed for.
 */

import type { Sql, Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import {
  type AttributeChange,
  endedOfManySteps,
  endedOfManyTexts,
  entityChange,
  type EntityChange,
  fillColumns,
  historyShape,
  historySteps,
  historyTexts,
} from '#engine/storage/entity-change'
import { layoutOf, type Row } from '#engine/storage/layout'
import {
  preconditions,
  preconditionTexts,
  type ReferenceTargets,
  targetTablesOf,
  VersionConflict,
} from '#engine/storage/preconditions'
import { type Stamp, storedIn, withRefresh } from '#engine/storage/provenance'
import type { StoredEntity } from '#engine/storage/read-entities'
import {
  columnTexts,
  numbersOf,
  type ParameterTexts,
  type Placeholder,
  runStorageStatement,
  statementFor,
  statementText,
  typedColumns,
  type TypedColumns,
  typedParam,
} from '#engine/storage/statement'
import { type FurtherStep, furtherSteps } from '#engine/storage/write-log'
import {
  asUniqueKeyConflict,
  keyChangeSteps,
  keyChangeTexts,
  moveKeySteps,
  moveKeyTexts,
  type OwnedKey,
} from '#engine/storage/unique-keys'
import { hasEvents, type OutboxRow, outboxSteps, outboxTexts } from './outbox-step'

interface EntityUpdate {
  readonly id: string
  readonly version: number
  readonly change: EntityChange
  readonly stamp: Stamp
  readonly targets: readonly ReferenceTargets[]
  readonly outbox?: OutboxRow
  /** Whether the time and the actor of the last update stay. */
  readonly isRefresh?: boolean
  /** No effect unless the step `written` has a row. It can name the parameters `id` and `updated_at`. */
  readonly furtherStep?: FurtherStep | undefined
}

interface AttributeUpdate extends Pick<EntityUpdate, 'targets' | 'outbox' | 'isRefresh' | 'furtherStep'> {
  readonly changes: readonly AttributeChange[]
}

/** Writes changes of attributes. Returns the new row, or undefined if nothing differs. Throws `VersionConflict` and `UniqueKeyConflict`. */
export async function changeEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  entity: StoredEntity,
  { changes, ...update }: AttributeUpdate,
  stamp: Stamp,
): Promise<Row | undefined> {
  const change = entityChange(entity, changes, stamp)
  if (!change) return undefined
  const { id, version } = entity
  return updateEntity(db, model, entityType, { id, version, change, stamp, ...update })
}

/** Updates one entity and returns its new row. Throws `VersionConflict` and `UniqueKeyConflict`. */
export async function updateEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  update: EntityUpdate,
): Promise<Row> {
  const { id, version, change, stamp, targets, outbox, isRefresh, furtherStep } = update
  const { attributes, columns, provenance, ended, removed, added } = change
  const hasKeys = [removed, added].map((keys) => keys.length > 0)
  const steps = [historyShape(ended), ...hasKeys, hasEvents(outbox), isRefresh === true, furtherStep?.name]
  const shape = `update ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps.join(' ')}`
  const statement = statementFor(entityType, shape, (param) => updateText(param, model, entityType, update))
  try {
    const [row] = await runStorageStatement(db, statement, {
      ...preconditionTexts(model, targets),
      ...columnTexts(columns),
      id,
      read_version: String(version),
      provenance: statementText(isRefresh === true ? withRefresh(provenance) : provenance),
      updated_at: timestampFromMicros(stamp.now),
      updated_by: String(stamp.actor),
      ...historyTexts(ended),
      ...keyChangeTexts(change),
      ...furtherStep?.texts,
      ...outboxTexts(outbox),
    })
    if (!row) throw new VersionConflict()
    return row
  } catch (error) {
    throw asUniqueKeyConflict(error, added, id)
  }
}

const UPDATED: TypedColumns = [
  ['updated_at', 'timestamptz'],
  ['updated_by', 'int'],
]

/** The step `written` updates the row. The steps after it have an effect only if it did. */
function updateText(param: Placeholder, model: DataModel, entityType: EntityType, update: EntityUpdate): string {
  const { change, targets, outbox, isRefresh, furtherStep } = update
  const columns: TypedColumns = [
    ...typedColumns(change.attributes),
    ['provenance', 'jsonb'],
    ...(isRefresh === true ? [] : UPDATED),
  ]
  const sets = columns.map(([name, type]) => `"${name}" = ${typedParam(param, name, type)}`)
  const id = typedParam(param, 'id', 'uuid')
  const steps = [
    ...preconditions(param, model, targets),
    `written as (update ${entityType.table} h set ${sets.join(', ')}, version = h.version + 1
      from preconditions_met where h.id = ${id} and h.version = ${typedParam(param, 'read_version', 'int')}
      returning ${layoutOf(model, entityType).select})`,
    ...historySteps(param, model, id, change.ended),
    ...keyChangeSteps(param, model, id, change),
    ...furtherSteps(furtherStep, param, model, entityType),
    ...outboxSteps(param, model, outbox, 'written'),
  ]
  return `with ${steps.join(', ')} select * from written`
}

// Many entities: all of them or none. See docs/decisions/batches.md.

export interface ManyUpdate {
  /** Each entity once. */
  readonly updates: readonly RowUpdate[]
  readonly targets: readonly ReferenceTargets[]
  readonly stamp: Stamp
  readonly outbox: OutboxRow
  /** What the statement returns: the new rows for their renderer, in any order, or nothing. */
  readonly answer: 'rows' | 'nothing'
  /** Whether the statement writes nothing while another transaction has locked one of the rows. Otherwise it waits. */
  readonly skipsLocked: boolean
}

export interface RowUpdate {
  /** It was read with the attributes that any of the updates changes. */
  readonly entity: StoredEntity
  readonly change: EntityChange
}

/** What decides about the text of the statement. */
interface ManyShape extends ManyUpdate {
  readonly columns: TypedColumns
  readonly hasEnded: boolean
  readonly removed: readonly OwnedKey[]
  readonly added: readonly OwnedKey[]
}

/** Updates all of the entities, and returns their rows if they are asked for. Throws `VersionConflict` and `UniqueKeyConflict`. */
export async function updateMany(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  update: ManyUpdate,
): Promise<Row[]> {
  const { updates, targets, stamp, outbox, answer } = update
  const attributes = changedAttributes(updates)
  const columns: TypedColumns = [...typedColumns(attributes), ['provenance', 'jsonb']]
  const ended = updates.flatMap(({ change }) => change.ended)
  const [removed, added] = [keysOf(updates, 'removed'), keysOf(updates, 'added')]
  const shape: ManyShape = { ...update, columns, hasEnded: ended.length > 0, removed, added }
  const steps = [shape.hasEnded, removed.length > 0, added.length > 0, hasEvents(outbox), update.skipsLocked].join(' ')
  const key = `update many ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, key, (param) => updateManyText(param, model, entityType, shape))
  try {
    const rows = await runStorageStatement(db, statement, {
      ...preconditionTexts(model, targets),
      ...rowTexts(updates, attributes, columns),
      updated_at: timestampFromMicros(stamp.now),
      updated_by: String(stamp.actor),
      ...endedOfManyTexts(ended),
      ...moveKeyTexts(removed, added),
      ...outboxTexts(outbox),
    })
    const count = answer === 'rows' ? rows.length : rows[0]?.[0]
    if (count !== updates.length) throw new VersionConflict()
    return answer === 'rows' ? rows : []
  } catch (error) {
    throw asUniqueKeyConflict(error, added, updates[0]?.entity.id ?? '')
  }
}

/** In the order of their numbers, so that more batches have the same statement. */
function changedAttributes(updates: readonly RowUpdate[]): Attribute[] {
  const attributes = new Set<Attribute>()
  for (const { change } of updates) for (const attribute of change.attributes) attributes.add(attribute)
  return [...attributes].toSorted((a, b) => a.number - b.number)
}

const keysOf = (updates: readonly RowUpdate[], step: 'removed' | 'added'): OwnedKey[] =>
  updates.flatMap(({ entity, change }) => change[step].map((key) => ({ ...key, entity_id: entity.id })))

/** One array for each column. An attribute that an entity does not change keeps its values. */
function rowTexts(
  updates: readonly RowUpdate[],
  attributes: readonly Attribute[],
  columns: TypedColumns,
): ParameterTexts {
  const rows = updates.map(({ entity, change }) => {
    const row: Record<string, unknown> = { provenance: change.provenance }
    for (const attribute of attributes) {
      if (!change.attributes.includes(attribute)) fillColumns(row, attribute, storedIn(entity.valuesOf(attribute)))
    }
    return Object.assign(row, change.columns)
  })
  return {
    count: String(updates.length),
    id: statementText(updates.map(({ entity }) => entity.id)),
    read_version: statementText(updates.map(({ entity }) => entity.version)),
    ...Object.fromEntries(columns.map(([name]) => [name, statementText(rows.map((row) => statementText(row[name])))])),
  }
}

/**
 * The step `locked` locks the rows in the order of their ids, so that two such statements never wait for each other in a circle.
 * The conditions on ids keep PostgreSQL from reading the whole table, whatever its size was when the statement was planned.
 */
function updateManyText(param: Placeholder, model: DataModel, entityType: EntityType, shape: ManyShape): string {
  const { columns, hasEnded, removed, added, targets, outbox, answer, skipsLocked } = shape
  const ids = typedParam(param, 'id', 'uuid[]')
  const arrays = [
    ids,
    typedParam(param, 'read_version', 'int[]'),
    ...columns.map((column) => arrayParam(param, column)),
  ]
  const names = ['id', 'read_version', ...columns.map(([name]) => `"${name}"`)].join(', ')
  const sets = columns.map(([name, type]) => `"${name}" = i."${name}"${isArray(type) ? `::${type}` : ''}`)
  const isLocked = `(select count(*) from locked join changes i on i.id = locked.id and i.read_version = locked.version)
    = ${typedParam(param, 'count', 'int')}`
  const written = `update ${entityType.table} h set ${sets.join(', ')}, version = h.version + 1,
      updated_at = ${typedParam(param, 'updated_at', 'timestamptz')}, updated_by = ${typedParam(param, 'updated_by', 'int')}
    from preconditions_met, changes i where h.id = i.id and h.id = any(${ids})`
  const steps = [
    `changes as (select * from unnest(${arrays.join(', ')}) as i(${names}))`,
    `locked as (select id, version from ${entityType.table} where id = any(${ids}) order by id for no key update${skipsLocked ? ' skip locked' : ''})`,
    ...preconditions(param, model, targets, [isLocked]),
    ...endedOfManySteps(param, model, hasEnded),
    ...moveKeySteps(param, model, removed, added),
    ...outboxSteps(param, model, outbox, 'preconditions_met'),
  ]
  return answer === 'rows'
    ? `with ${steps.join(', ')} ${written} returning ${layoutOf(model, entityType).select}`
    : `with ${[...steps, `written as (${written} returning 1)`].join(', ')} select count(*)::int from written`
}

const isArray = (type: string): boolean => type.endsWith('[]')

/** PostgreSQL has no arrays of arrays of different lengths, so arrays arrive as texts. */
const arrayParam = (param: Placeholder, [name, type]: TypedColumns[number]): string =>
  typedParam(param, name, isArray(type) ? 'text[]' : `${type}[]`)
