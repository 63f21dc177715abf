/** The statement that makes holders: one or many, with their unique keys. It touches nothing unless its guards hold. */

import type { Sql, Transaction } from '../../db/connect'
import type { Attribute, DataModel, Owner } from '../data-model/model'
import { guards, guardTexts, tablesOf, type Targets } from './guards'
import type { Row } from './layout'
import { PARENT_COLUMNS } from './parent'
import { rendererOf } from './render'
import {
  type At,
  columnTexts,
  numbersOf,
  runStatement,
  statementFor,
  textOf,
  typed,
  typedColumns,
  type TypedColumns,
} from './statement'
import { isTold, type Told, toldSteps, toldTexts } from './told-step'
import type { UniqueKey } from './unique'
import type { Provenance } from './versions'

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

const KEY = [
  ['attribute', 'int[]'],
  ['key', 'text[]'],
  ['holder_id', 'uuid[]'],
] as const

export interface Insert {
  /** Whose values any of the holders has; the rest stay null. */
  readonly attributes: readonly Attribute[]
  readonly holders: readonly NewHolder[]
  readonly keys: readonly (UniqueKey & { readonly holder_id: string })[]
  readonly targets: readonly Targets[]
  /** What is answered of each: its row for its renderer, or its id alone. */
  readonly answer: 'row' | 'id'
  readonly told?: Told
}

/** Inserts holders with their unique keys; answers their rows, none when model or targets are not as expected. */
export function insertHolders(db: Sql | Transaction, model: DataModel, owner: Owner, insert: Insert): Promise<Row[]> {
  const { attributes, holders, keys, targets, answer, told } = insert
  const [one] = holders.length === 1 ? holders : []
  const shape = `insert ${one ? 'one' : 'many'} ${numbersOf(attributes)} ${tablesOf(targets)} ${keys.length > 0} ${isTold(told)} ${answer}`
  const statement = statementFor(owner, shape, (at) => insertText(at, model, owner, insert))
  return runStatement(db, statement, {
    ...guardTexts(model, targets),
    ...Object.fromEntries(KEY.map(([name]) => [`key_${name}`, textOf(keys.map((key) => key[name]))])),
    ...(one ? columnTexts(one) : { holders: JSON.stringify(holders) }),
    ...toldTexts(told),
  })
}

/** Of one holder each column is a parameter, the cheapest for PostgreSQL; those of many come as one JSON text. */
function insertText(at: At, model: DataModel, owner: Owner, insert: Insert) {
  const { attributes, holders, keys, targets, answer, told } = insert
  const columns = [...OF_NEW, ...(owner.kind === 'list' ? PARENT_COLUMNS : []), ...typedColumns(attributes)]
  const names = columns.map(([name]) => `"${name}"`).join(', ')
  const one = holders.length === 1
  const values = one ? columns.map(([name, type]) => typed(at, name, type)).join(', ') : names
  const [createdAt, createdBy] = one
    ? [typed(at, 'created_at', 'timestamptz'), typed(at, 'created_by', 'int')]
    : ['created_at', 'created_by']
  const definitions = columns.map(([name, type]) => `"${name}" ${type}`).join(', ')
  const input = one ? 'go' : `go, json_to_recordset(${at('holders')}::text::json) as i(${definitions})`
  const steps = guards(at, targets)
  if (keys.length > 0) {
    const lists = KEY.map(([name, type]) => typed(at, `key_${name}`, type)).join(', ')
    steps.push(`taken as (insert into ${model.schema}.uniques (attribute, key, holder_id)
      select k.* from go, unnest(${lists}) as k)`)
  }
  steps.push(...toldSteps(at, told, 'go'))
  return `with ${steps.join(', ')}
    insert into ${owner.table} as h (${names}, updated_at, updated_by)
    select ${values}, ${createdAt}, ${createdBy} from ${input}
    returning ${answer === 'id' ? 'h.id' : rendererOf(model, owner).layout.selectNew}`
}
