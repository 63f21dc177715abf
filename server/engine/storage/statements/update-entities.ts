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
  preconditionTexts,
  type ReferenceTargets,
  targetTablesOf,
  VersionConflict,
  writeText,
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
  asWriteConflict,
  type KeyMoves,
  keyMoveTexts,
  keysShape,
  keySteps,
  type OwnedKey,
  removedKeys,
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
  /** It can name the parameters `id` and `updated_at`. */
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
  const steps = [
    historyShape(ended),
    removed.length > 0,
    keysShape(added),
    hasEvents(outbox),
    isRefresh === true,
    furtherStep?.name,
  ]
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
      ...keyMoveTexts(keyMoves(update)),
      ...furtherStep?.texts,
      ...outboxTexts(outbox),
    })
    if (!row) throw new VersionConflict()
    return row
  } catch (error) {
    throw asWriteConflict(error, added, id)
  }
}

const UPDATED: TypedColumns = [
  ['updated_at', 'timestamptz'],
  ['updated_by', 'int'],
]

function updateText(param: Placeholder, model: DataModel, entityType: EntityType, update: EntityUpdate): string {
  const { change, targets, outbox, isRefresh, furtherStep } = update
  const columns: TypedColumns = [
    ...typedColumns(change.attributes),
    ['provenance', 'jsonb'],
    ...(isRefresh === true ? [] : UPDATED),
  ]
  const sets = columns.map(([name, type]) => `"${name}" = ${typedParam(param, name, type)}`)
  const id = typedParam(param, 'id', 'uuid')
  const moves = keyMoves(update)
  return writeText(param, {
    model,
    targets,
    written: `update ${entityType.table} h set ${sets.join(', ')}, version = h.version + 1
      where h.id = ${id} and h.version = ${typedParam(param, 'read_version', 'int')}
      returning ${layoutOf(model, entityType).select}`,
    count: '1',
    after: removedKeys(param, model, moves),
    further: [
      ...historySteps(param, model, id, change.ended),
      ...keySteps(param, model, moves.added, 'added'),
      ...furtherSteps(furtherStep, param, model, entityType),
      ...outboxSteps(param, model, outbox),
    ],
    answer: '*',
  })
}

const keyMoves = ({ id, change: { removed, added } }: EntityUpdate): KeyMoves => ({
  removed: removed.map((key) => ({ ...key, entity_id: id })),
  added: added.map((key) => ({ ...key, entity_id: id })),
})

// Many entities: all of them or none. See docs/decisions/batches.md.

/** Updates entities that the transaction has locked, in one statement and without change events. Throws `VersionConflict`. */
export async function updateLocked(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  updates: readonly RowUpdate[],
  stamp: Stamp,
): Promise<void> {
  if (updates.length === 0) return
  await updateMany(tx, model, entityType, { updates, targets: [], stamp, answer: 'nothing', skipsLocked: false })
}

export interface ManyUpdate {
  /** Each entity once. */
  readonly updates: readonly RowUpdate[]
  readonly targets: readonly ReferenceTargets[]
  readonly stamp: Stamp
  readonly outbox?: OutboxRow
  /** What the statement returns: the new rows for their renderer, in any order, or nothing. */
  readonly answer: 'rows' | 'nothing'
  /** Whether the statement writes nothing while another transaction has locked one of the rows. Otherwise it waits. */
  readonly skipsLocked: boolean
  /** Whether the time and the actor of the last update stay. */
  readonly isRefresh?: boolean
  /** It can name the parameters `id`, which has all ids, and `updated_at`. */
  readonly furtherStep?: FurtherStep | undefined
}

export interface RowUpdate {
  /** It was read with the attributes that any of the updates changes. */
  readonly entity: StoredEntity
  readonly change: EntityChange
}

/** What decides about the text of the statement. */
interface ManyShape extends ManyUpdate, KeyMoves {
  readonly columns: TypedColumns
  readonly hasEnded: boolean
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
  const steps = [
    shape.hasEnded,
    removed.length > 0,
    keysShape(added),
    hasEvents(outbox),
    update.skipsLocked,
    update.isRefresh === true,
    update.furtherStep?.name,
  ].join(' ')
  const key = `update many ${numbersOf(attributes)} ${targetTablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, key, (param) => updateManyText(param, model, entityType, shape))
  try {
    const rows = await runStorageStatement(db, statement, {
      ...preconditionTexts(model, targets),
      ...rowTexts(update, attributes, columns),
      updated_at: timestampFromMicros(stamp.now),
      updated_by: String(stamp.actor),
      ...endedOfManyTexts(ended),
      ...keyMoveTexts(shape),
      ...outboxTexts(outbox),
      ...update.furtherStep?.texts,
    })
    return answer === 'rows' ? rows : []
  } catch (error) {
    throw asWriteConflict(error, added, updates[0]?.entity.id ?? '')
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
  { updates, isRefresh }: ManyUpdate,
  attributes: readonly Attribute[],
  columns: TypedColumns,
): ParameterTexts {
  const rows = updates.map(({ entity, change }) => {
    const { provenance } = change
    const row: Record<string, unknown> = { provenance: isRefresh === true ? withRefresh(provenance) : provenance }
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
 * Citus refuses casts of columns to arrays in the list of `set`, so a subquery has them, which PostgreSQL plans apart (`offset 0`).
 */
function updateManyText(param: Placeholder, model: DataModel, entityType: EntityType, shape: ManyShape): string {
  const { columns, hasEnded, targets, outbox, answer, skipsLocked, isRefresh, furtherStep } = shape
  const ids = typedParam(param, 'id', 'uuid[]')
  const arrays = [
    ids,
    typedParam(param, 'read_version', 'int[]'),
    ...columns.map((column) => arrayParam(param, column)),
  ]
  const names = ['id', 'read_version', ...columns.map(([name]) => `"${name}"`)].join(', ')
  const cells = columns.map(([name, type]) => (isArray(type) ? `"${name}"::${type}` : `"${name}"`))
  const updated = isRefresh === true ? [] : UPDATED.map((column) => `${column[0]} = ${typedParam(param, ...column)}`)
  const sets = [...columns.map(([name]) => `"${name}" = i."${name}"`), 'version = h.version + 1', ...updated]
  const count = typedParam(param, 'count', 'int')
  const locked = `select 1 from ${entityType.table} where id = any(${ids}) order by id for no key update${skipsLocked ? ' skip locked' : ''}`
  return writeText(param, {
    model,
    targets,
    before: [{ name: 'locked', text: locked, count }],
    written: `update ${entityType.table} h set ${sets.join(', ')}
      from (select ${['id', 'read_version', ...cells].join(', ')} from unnest(${arrays.join(', ')}) as u(${names}) offset 0) as i
      where h.id = i.id and h.id = any(${ids}) and h.version = i.read_version
      returning ${answer === 'rows' ? layoutOf(model, entityType).select : '1'}`,
    count,
    after: removedKeys(param, model, shape),
    further: [
      ...endedOfManySteps(param, model, hasEnded),
      ...keySteps(param, model, shape.added, 'added'),
      ...outboxSteps(param, model, outbox),
      ...furtherSteps(furtherStep, param, model, entityType),
    ],
    answer: answer === 'rows' ? '*' : 'count(*)::int',
  })
}

const isArray = (type: string): boolean => type.endsWith('[]')

/** PostgreSQL has no arrays of arrays of different lengths, so arrays arrive as texts. */
const arrayParam = (param: Placeholder, [name, type]: TypedColumns[number]): string =>
  typedParam(param, name, isArray(type) ? 'text[]' : `${type}[]`)
