/** The statement that makes a holder with its unique keys. It touches nothing unless its guards hold. */

import type { Sql, Transaction } from '../../db/connect'
import type { Attribute, DataModel, Owner } from '../data-model/model'
import { guards, guardTexts, tablesOf, type Targets } from './preconditions'
import { keySteps, keyTexts, type OwnedKey } from './unique-key-step'
import type { Row } from './layout'
import { PARENT_COLUMNS } from '../entities/read/parent'
import { rendererOf } from '../entities/read/render'
import {
  type At,
  columnTexts,
  numbersOf,
  runStatement,
  statementFor,
  typed,
  typedColumns,
  type TypedColumns,
} from './statement'
import { isTold, type Told, toldSteps, toldTexts } from './outbox-step'
import type { Provenance } from './provenance'

export interface NewHolder {
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
  readonly holder: NewHolder
  readonly keys: readonly OwnedKey[]
  readonly targets: readonly Targets[]
  /** An entry is made only for a record that has none in the list. */
  readonly isFirst: boolean
  /** What is answered: its row for its renderer, or its id alone. */
  readonly answer: 'row' | 'id'
  readonly told?: Told
}

/** Answers its row; none when model or targets are not as expected, or when it would not be the first. */
export function insertHolder(db: Sql | Transaction, model: DataModel, owner: Owner, insert: Insert): Promise<Row[]> {
  const { attributes, holder, keys, targets, isFirst, answer, told } = insert
  const steps = `${keys.length > 0} ${isFirst} ${isTold(told)}`
  const shape = `insert ${numbersOf(attributes)} ${tablesOf(targets)} ${steps} ${answer}`
  const statement = statementFor(owner, shape, (at) => insertText(at, model, owner, insert))
  return runStatement(db, statement, {
    ...guardTexts(model, targets),
    ...keyTexts(keys),
    ...columnTexts(holder),
    ...toldTexts(told),
  })
}

/** Each column is a parameter, the cheapest for PostgreSQL. */
function insertText(at: At, model: DataModel, owner: Owner, insert: Insert) {
  const { attributes, keys, targets, isFirst, answer, told } = insert
  const columns = [...OF_NEW, ...(owner.kind === 'list' ? PARENT_COLUMNS : []), ...typedColumns(attributes)]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const values = columns.map(([name, type]) => typed(at, name, type)).join(', ')
  const created = `${typed(at, 'created_at', 'timestamptz')}, ${typed(at, 'created_by', 'int')}`
  const first = isFirst ? [noneYet(at, owner)] : []
  const steps = [...guards(at, targets, first), ...keySteps(at, model, keys), ...toldSteps(at, told, 'go')]
  return `with ${steps.join(', ')}
    insert into ${owner.table} as h (${names}, updated_at, updated_by) select ${values}, ${created} from go
    returning ${answer === 'id' ? 'h.id' : rendererOf(model, owner).layout.selectNew}`
}

const noneYet = (at: At, { table }: Owner): string =>
  `not exists (select 1 from ${table} where parent_record_id = ${typed(at, 'parent_record_id', 'uuid')})`
