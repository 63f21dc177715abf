/**
 * The statement that updates one entity: its row, its history, its unique keys and its change events. It writes nothing
 * unless the preconditions hold and the entity still has the version that the change was computed for.
 */

import type { Sql, Transaction } from '#db/connect'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import {
  type AttributeChange,
  type EntityChange,
  entityChange,
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
import { type Stamp, withRefresh } from '#engine/storage/provenance'
import type { StoredEntity } from '#engine/storage/read-entities'
import {
  type Placeholder,
  columnTexts,
  numbersOf,
  runStorageStatement,
  statementFor,
  statementText,
  typedParam,
  typedColumns,
  type TypedColumns,
} from '#engine/storage/statement'
import { type FurtherStep, furtherSteps } from '#engine/storage/write-log'
import {
  asWriteConflict,
  type KeyMoves,
  keyMoveTexts,
  keysShape,
  keySteps,
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
