/**
 * The statements that write holders. Each does all of one write at once: checks that the data model is still the one the
 * write was made for, locks what it refers to, keeps ended values, moves unique keys, and answers the row as reads see
 * it. It touches nothing when the model, the holder's version or a target is not as expected.
 *
 * The model check is safe in one statement: a change of the model that matters to writers locks the owner's table against
 * them, so a statement that got its own lock on the table sees the version such a change committed.
 */

import type { Sql, Transaction } from '../../db/connect'
import { preparedIfRoom } from '../../db/prepared'
import type { ValueColumn } from '../attribute-types/columns'
import type { DataModel, Owner } from '../data-model/model'
import type { HolderChange } from './change'
import type { Row } from './layout'
import type { UniqueKey } from './unique'
import type { Provenance } from './versions'

/** Records that a write refers to: they must exist, and are kept from being deleted until it is through. */
export interface Targets {
  readonly table: string
  readonly ids: readonly string[]
}

/** The columns of an insert or update, with their SQL types. */
export type TypedColumns = ReadonlyMap<string, ValueColumn['sqlType'] | 'jsonb'>

export interface NewHolder {
  readonly id: string
  readonly created_at: string
  readonly created_by: number
  readonly provenance: Provenance | null
  /** Further columns by name. */
  readonly [column: string]: unknown
}

type Executor = Sql | Transaction

/** Parameters in the order they were asked for; `add` gives the placeholder. */
class Parameters {
  readonly values: string[] = []
  add(value: string): string {
    return `$${this.values.push(value)}`
  }
  json(value: unknown): string {
    return `${this.add(JSON.stringify(value))}::text::json`
  }
}

const run = (db: Executor, text: string, parameters: Parameters): Promise<Row[]> =>
  db.unsafe(text, parameters.values, preparedIfRoom(text)).values() as unknown as Promise<Row[]> // rows as arrays

const quoteAll = (columns: TypedColumns): string => [...columns.keys()].map((name) => `"${name}"`).join(', ')
const define = (columns: TypedColumns): string => [...columns].map(([name, type]) => `"${name}" ${type}`).join(', ')

/** Inserts holders with their unique keys; answers their rows, none when model or targets are not as expected. */
export function insertHolders(
  db: Executor,
  model: DataModel,
  owner: Owner,
  insert: {
    readonly columns: TypedColumns
    readonly holders: readonly NewHolder[]
    readonly keys: readonly (UniqueKey & { readonly holder_id: string })[]
    readonly targets: readonly Targets[]
    /** The select list of the answer, over `h`. */
    readonly returning: string
  },
): Promise<Row[]> {
  const parameters = new Parameters()
  const steps = guards(parameters, model, insert.targets)
  const own = quoteAll(insert.columns)
  const input = `json_to_recordset(${parameters.json(insert.holders)}) as i(id uuid, created_at timestamptz, created_by int, provenance jsonb${insert.columns.size > 0 ? `, ${define(insert.columns)}` : ''})`
  if (insert.keys.length > 0) {
    const keys = parameters.json(insert.keys)
    steps.push(`taken as (insert into ${model.schema}.uniques (attribute, key, holder_id)
      select k.attribute, k.key, k.holder_id from json_to_recordset(${keys}) as k(attribute int, key text, holder_id uuid), go)`)
  }
  const text = `with ${steps.join(', ')}
    insert into ${owner.table} as h (id, created_at, created_by, updated_at, updated_by, provenance${own ? `, ${own}` : ''})
    select i.id, i.created_at, i.created_by, i.created_at, i.created_by, i.provenance${own ? `, ${own}` : ''} from ${input}, go
    returning ${insert.returning}`
  return run(db, text, parameters)
}

/** Changes one holder that still has the given version; answers its row, none when something is not as expected. */
export function updateHolder(
  db: Executor,
  model: DataModel,
  owner: Owner,
  update: {
    readonly id: string
    readonly version: number
    readonly change: HolderChange
    readonly columns: TypedColumns
    readonly updated: { readonly at: string; readonly by: number }
    readonly targets: readonly Targets[]
    readonly returning: string
  },
): Promise<Row[]> {
  const { change, columns } = update
  const parameters = new Parameters()
  const steps = guards(parameters, model, update.targets)
  const [id, version] = [parameters.add(update.id), parameters.add(String(update.version))]
  steps.push(
    `held as (select h.id from ${owner.table} h, go where h.id = ${id} and h.version = ${version} for no key update of h)`,
  )
  steps.push(...historySteps(parameters, model, change), ...keySteps(parameters, model, change))
  const sets = [...columns.keys()].map((name) => `"${name}" = i."${name}"`)
  sets.push(
    `updated_at = ${parameters.add(update.updated.at)}`,
    `updated_by = ${parameters.add(String(update.updated.by))}`,
  )
  sets.push('provenance = i.provenance', 'version = h.version + 1')
  const input = parameters.json({ ...change.columns, provenance: change.provenance })
  const text = `with ${steps.join(', ')}
    update ${owner.table} h set ${sets.join(', ')}
    from held, json_to_record(${input}) as i(provenance jsonb${columns.size > 0 ? `, ${define(columns)}` : ''})
    where h.id = held.id returning ${update.returning}`
  return run(db, text, parameters)
}

/** `go` has one row when the data model has the expected version and every target exists, else none. */
function guards(parameters: Parameters, model: DataModel, targets: readonly Targets[]): string[] {
  const [workspace, version] = [parameters.add(model.workspace.id), parameters.add(String(model.version))]
  const current = `select 1 from relata.workspaces where id = ${workspace} and data_model_version = ${version}`
  const locked = targets.map(({ table, ids }, index) => {
    return `target_${index} as (select 1 from ${table} where id = any(${parameters.add(`{${ids.join(',')}}`)}::uuid[]) for key share)`
  })
  const found = targets.map(
    ({ ids }, index) => ` and (select count(*) from target_${index}) = ${parameters.add(String(ids.length))}`,
  )
  return [...locked, `go as (${current}${found.join('')})`]
}

function historySteps(parameters: Parameters, model: DataModel, { ended }: HolderChange): string[] {
  if (ended.length === 0) return []
  const columns = 'holder_id, attribute, active_from, active_until, actor, mirrored, value'
  const types =
    'holder_id uuid, attribute int, active_from timestamptz, active_until timestamptz, actor int, mirrored boolean, value jsonb'
  return [
    `ended as (insert into ${model.schema}.history (${columns})
      select ${columns} from json_to_recordset(${parameters.json(ended)}) as e(${types}), held)`,
  ]
}

function keySteps(parameters: Parameters, model: DataModel, { freed, taken }: HolderChange): string[] {
  const steps: string[] = []
  if (freed.length > 0) {
    steps.push(`freed as (delete from ${model.schema}.uniques u
      using json_to_recordset(${parameters.json(freed)}) as k(attribute int, key text), held
      where u.attribute = k.attribute and u.key = k.key and u.holder_id = held.id)`)
  }
  if (taken.length > 0) {
    steps.push(`taken as (insert into ${model.schema}.uniques (attribute, key, holder_id)
      select k.attribute, k.key, held.id from json_to_recordset(${parameters.json(taken)}) as k(attribute int, key text), held)`)
  }
  return steps
}
