/** The statement that makes an entity with its unique keys. It touches nothing unless its guards hold. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { preconditions, preconditionTexts, tablesOf, type ReferenceTargets } from '../preconditions'
import { keySteps, keyTexts, type OwnedKey } from './unique-key-step'
import type { Row } from '../layout'
import { PARENT_COLUMNS } from '../parent'
import { rendererOf } from '../../entities/read/render'
import {
  type At,
  columnTexts,
  numbersOf,
  runStatement,
  statementFor,
  typed,
  typedColumns,
  type TypedColumns,
} from '../statement'
import { hasEvents, type OutboxRows, outboxSteps, outboxTexts } from './outbox-step'
import type { Provenance } from '../provenance'

export interface NewEntity {
  readonly id: string
  readonly created_at: string
  readonly created_by: number
  readonly provenance: Provenance | null
  /** Further columns by name. */
  readonly [column: string]: unknown
}

const OF_NEW: TypedColumns = [
  ['id', 'uuid'],
  ['created_at', 'timestamptz'],
  ['created_by', 'int'],
  ['provenance', 'jsonb'],
]

export interface Insert {
  /** Whose values it has; the rest stay null. */
  readonly attributes: readonly Attribute[]
  readonly entity: NewEntity
  readonly keys: readonly OwnedKey[]
  readonly targets: readonly ReferenceTargets[]
  /** An entry is made only for a record that has none in the list. */
  readonly isFirst: boolean
  /** What is answered: its row for its renderer, or its id alone. */
  readonly answer: 'row' | 'id'
  readonly told?: OutboxRows
}

/** Answers its row; none when model or targets are not as expected, or when it would not be the first. */
export function insertEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  insert: Insert,
): Promise<Row[]> {
  const { attributes, entity, keys, targets, isFirst, answer, told } = insert
  const steps = `${keys.length > 0} ${isFirst} ${hasEvents(told)}`
  const shape = `insert ${numbersOf(attributes)} ${tablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(entityType, shape, (at) => insertText(at, model, entityType, insert))
  return runStatement(db, statement, {
    ...preconditionTexts(model, targets),
    ...keyTexts(keys),
    ...columnTexts(entity),
    ...outboxTexts(told),
  })
}

/** Each column is a parameter, the cheapest for PostgreSQL. */
function insertText(at: At, model: DataModel, entityType: EntityType, insert: Insert) {
  const { attributes, keys, targets, isFirst, answer, told } = insert
  const columns = [...OF_NEW, ...(entityType.kind === 'list' ? PARENT_COLUMNS : []), ...typedColumns(attributes)]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const values = columns.map(([name, type]) => typed(at, name, type)).join(', ')
  const created = `${typed(at, 'created_at', 'timestamptz')}, ${typed(at, 'created_by', 'int')}`
  const first = isFirst ? [noneYet(at, entityType)] : []
  const steps = [...preconditions(at, targets, first), ...keySteps(at, model, keys), ...outboxSteps(at, told, 'go')]
  return `with ${steps.join(', ')}
    insert into ${entityType.table} as h (${names}, updated_at, updated_by) select ${values}, ${created} from go
    returning ${answer === 'id' ? 'h.id' : rendererOf(model, entityType).layout.selectNew}`
}

const noneYet = (at: At, { table }: EntityType): string =>
  `not exists (select 1 from ${table} where parent_record_id = ${typed(at, 'parent_record_id', 'uuid')})`
