/** Inserts entities of a dump, with their unique keys, and without change events. */

import type { Transaction } from '../../../db/connect'
import { columnsOf } from '../../attribute-types/definition/columns'
import type { Scalar } from '../../attribute-types/define'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { microsFromTimestamp } from '../../timing/clock'
import { FIXED, PARENT_COLUMNS } from '../layout'
import { type DatedValue, type Provenance, provenanceEntries, withEntries, withRefreshes } from '../provenance'
import type { OwnedKey } from '../statements/unique-key-step'
import { uniqueKeys } from '../unique-keys'
import type { DumpedEntity, DumpedValue } from './dumped-entity'
import { isDumped } from './read-dumped-entities'

type Columns = readonly (readonly [name: string, type: string])[]

const FIXED_TYPES: Readonly<Record<(typeof FIXED)[number], string>> = {
  id: 'uuid',
  created_at: 'timestamptz',
  created_by: 'int',
  updated_at: 'timestamptz',
  updated_by: 'int',
  version: 'int',
  provenance: 'jsonb',
}

/** The row and the unique keys of an entity. */
export interface PreparedEntity {
  readonly row: Readonly<Record<string, unknown>>
  readonly keys: readonly OwnedKey[]
}

export interface DumpedEntityInserter {
  /** Throws for a timestamp that does not exist. */
  prepare(entity: DumpedEntity): PreparedEntity
  /** Throws the errors of PostgreSQL. */
  insert(tx: Transaction, entities: readonly PreparedEntity[]): Promise<void>
}

export function dumpedEntityInserter(model: DataModel, entityType: EntityType): DumpedEntityInserter {
  const attributes = entityType.attributes.filter(isDumped)
  const columns: Columns = [
    ...FIXED.map((name) => [name, FIXED_TYPES[name]] as const),
    ...(entityType.kind === 'list' ? PARENT_COLUMNS : []),
    ...attributes.flatMap((attribute) =>
      columnsOf(attribute).map(({ name, sqlType }) => [String(name), sqlType] as const),
    ),
  ]
  const names = columns.map(([name]) => name).join(', ')
  const insert = `insert into ${entityType.table} (${names}) select ${names}
    from json_to_recordset($1::text::json) as r(${columns.map((column) => column.join(' ')).join(', ')})`
  return {
    prepare: (entity) => ({ row: rowOf(attributes, entity), keys: keysOf(attributes, entity) }),
    async insert(tx, entities) {
      await tx.unsafe(insert, [JSON.stringify(entities.map(({ row }) => row))], { prepare: true })
      const keys = entities.flatMap((entity) => entity.keys)
      if (keys.length > 0) await insertKeys(tx, model, keys)
    },
  }
}

async function insertKeys(tx: Transaction, { schema }: DataModel, keys: readonly OwnedKey[]): Promise<void> {
  await tx.unsafe(
    `insert into ${schema}.uniques (attribute, key, entity_id) select attribute, key, entity_id
     from json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)`,
    [JSON.stringify(keys)],
    { prepare: true },
  )
}

const keysOf = (attributes: readonly Attribute[], { id, values }: DumpedEntity) =>
  attributes.flatMap((attribute) =>
    uniqueKeys(
      attribute,
      (values[attribute.api_slug] ?? []).map(({ value }) => value),
    ).map((key) => ({
      ...key,
      entity_id: id,
    })),
  )

function rowOf(attributes: readonly Attribute[], entity: DumpedEntity): Record<string, unknown> {
  const { values, refreshes, ...fixed } = entity
  const row: Record<string, unknown> = { ...fixed, provenance: provenanceOf(attributes, entity) }
  for (const attribute of attributes) {
    const stored = (values[attribute.api_slug] ?? []).map(({ value }) => value)
    for (const { name, member } of columnsOf(attribute)) row[String(name)] = cellOf(attribute, stored, member)
  }
  return row
}

/** An attribute without a value is null, also when it has several values. */
function cellOf({ is_multiselect }: Attribute, stored: readonly Readonly<Record<string, Scalar>>[], member: string) {
  const [first] = stored
  if (first === undefined) return null
  return is_multiselect ? stored.map((value) => value[member] ?? null) : (first[member] ?? null)
}

function provenanceOf(attributes: readonly Attribute[], { created_at, created_by, refreshes, values }: DumpedEntity) {
  const created = { at: microsFromTimestamp(created_at), actor: created_by }
  const written = attributes.map((attribute) => {
    const datedValues = (values[attribute.api_slug] ?? []).map(datedValueOf)
    return { attribute, entries: provenanceEntries(datedValues, created) }
  })
  const provenance: Provenance | null = withEntries(null, written)
  return refreshes > 0 ? withRefreshes(provenance, refreshes) : provenance
}

const datedValueOf = ({ value, active_from, actor, mirrored, rank }: DumpedValue): DatedValue => ({
  stored: value,
  active_from: microsFromTimestamp(active_from),
  actor,
  writtenFromOtherSide: mirrored === true,
  ...(rank !== undefined && { rank }),
})
