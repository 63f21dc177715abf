/**
 * The statement that changes one entity: its row, the history of what ended, its unique keys. It touches nothing unless
 * its guards hold and the entity still has the version the change was computed for.
 */

import type { Sql, Transaction } from '../../../db/connect'
import type { DataModel, EntityType } from '../../data-model/model'
import type { EntityChange } from '../entity-change'
import { preconditions, preconditionTexts, tablesOf, type ReferenceTargets } from '../preconditions'
import type { Row } from '../layout'
import { rendererOf } from '../../entities/read/render'
import {
  type At,
  columnTexts,
  type ParameterTexts,
  numbersOf,
  runStatement,
  statementFor,
  textOf,
  typed,
  typedColumns,
  type TypedColumns,
} from '../statement'
import { hasEvents, type OutboxRows, outboxSteps, outboxTexts } from './outbox-step'
import type { UniqueKey } from '../unique-keys'

export interface EntityUpdate {
  readonly id: string
  readonly version: number
  readonly change: EntityChange
  readonly updated: { readonly at: string; readonly by: number }
  readonly targets: readonly ReferenceTargets[]
  readonly told?: OutboxRows
}

/** Changes one entity that still has the given version; answers its row, none when something is not as expected. */
export function updateEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  update: EntityUpdate,
): Promise<Row[]> {
  const { id, version, updated, targets, told } = update
  const { attributes, columns, provenance, ended, freed, taken } = update.change
  const steps = [...[ended, freed, taken].map((step) => step.length > 0), hasEvents(told)]
  const shape = `update ${numbersOf(attributes)} ${tablesOf(targets)} ${steps.join(' ')}`
  const statement = statementFor(entityType, shape, (at) => updateText(at, model, entityType, update))
  return runStatement(db, statement, {
    ...preconditionTexts(model, targets),
    ...columnTexts(columns),
    id,
    held_version: String(version),
    provenance: textOf(provenance),
    updated_at: updated.at,
    updated_by: String(updated.by),
    ...endedTexts(ended),
    ...keyTexts('freed', freed),
    ...keyTexts('taken', taken),
    ...outboxTexts(told),
  })
}

/** The row is written first: what follows from it follows only when it was. */
function updateText(at: At, model: DataModel, entityType: EntityType, { change, targets, told }: EntityUpdate): string {
  const columns: TypedColumns = [
    ...typedColumns(change.attributes),
    ['provenance', 'jsonb'],
    ['updated_at', 'timestamptz'],
    ['updated_by', 'int'],
  ]
  const sets = columns.map(([name, type]) => `"${name}" = ${typed(at, name, type)}`)
  const id = typed(at, 'id', 'uuid')
  const steps = [
    ...preconditions(at, targets),
    `written as (update ${entityType.table} h set ${sets.join(', ')}, version = h.version + 1
      from go where h.id = ${id} and h.version = ${typed(at, 'held_version', 'int')}
      returning ${rendererOf(model, entityType).layout.select})`,
  ]
  if (change.ended.length > 0) steps.push(endedStep(at, model, id))
  if (change.freed.length > 0) {
    steps.push(`freed as (delete from ${model.schema}.uniques u using written, ${keysOf(at, 'freed')} as k(attribute, key)
      where u.attribute = k.attribute and u.key = k.key and u.entity_id = ${id})`)
  }
  if (change.taken.length > 0) {
    steps.push(`taken as (insert into ${model.schema}.uniques (attribute, key, entity_id)
      select k.attribute, k.key, ${id} from written, ${keysOf(at, 'taken')} as k(attribute, key))`)
  }
  steps.push(...outboxSteps(at, told, 'written'))
  return `with ${steps.join(', ')} select * from written`
}

const ENDED = [
  ['attribute', 'int[]'],
  ['active_from', 'timestamptz[]'],
  ['active_until', 'timestamptz[]'],
  ['actor', 'int[]'],
  ['mirrored', 'boolean[]'],
  ['value', 'jsonb[]'],
] as const

function endedStep(at: At, model: DataModel, id: string): string {
  const names = ENDED.map(([name]) => name).join(', ')
  const lists = ENDED.map(([name, type]) => typed(at, `ended_${name}`, type)).join(', ')
  return `ended as (insert into ${model.schema}.history (entity_id, ${names})
      select ${id}, e.* from written, unnest(${lists}) as e(${names}))`
}

function endedTexts(ended: EntityChange['ended']): ParameterTexts {
  if (ended.length === 0) return {}
  const listOf = (name: (typeof ENDED)[number][0]) => textOf(ended.map((version) => textOf(version[name])))
  return Object.fromEntries(ENDED.map(([name]) => [`ended_${name}`, listOf(name)]))
}

const keysOf = (at: At, step: 'freed' | 'taken'): string =>
  `unnest(${typed(at, `${step}_attribute`, 'int[]')}, ${typed(at, `${step}_key`, 'text[]')})`

function keyTexts(step: 'freed' | 'taken', keys: readonly UniqueKey[]): ParameterTexts {
  if (keys.length === 0) return {}
  return {
    [`${step}_attribute`]: textOf(keys.map(({ attribute }) => attribute)),
    [`${step}_key`]: textOf(keys.map(({ key }) => key)),
  }
}
