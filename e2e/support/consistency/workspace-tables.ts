/** The stored data of a workspace, read from its tables: attributes, entities, history and unique keys. */

import type { Reader } from '../service/database'

export interface StoredAttribute {
  readonly id: string
  readonly number: number
  readonly entity_type_id: string
  readonly api_slug: string
  readonly type: string
  readonly is_unique: boolean
  readonly is_multiselect: boolean
  readonly stored_in: 'columns' | 'entity' | 'partner' | 'formula' | 'function' | 'worker'
  readonly relationship_attribute_id: string | null
}

export interface StoredEntityType {
  readonly id: string
  readonly number: number
  readonly kind: 'object' | 'list' | 'activity'
  readonly api_slug: string
  readonly attributes: readonly StoredAttribute[]
  readonly entities: readonly Entity[]
}

export interface Entity {
  readonly id: string
  readonly created_at: string
  readonly provenance: Readonly<Record<string, readonly unknown[]>>
  /** Only of an entry. */
  readonly parent_record_id?: string
  /** The values by attribute number, as members. Attributes without values are absent. */
  readonly values: ReadonlyMap<number, readonly StoredValue[]>
}

export type StoredValue = Readonly<Record<string, unknown>>

export interface EndedValue {
  readonly entity_id: string
  readonly attribute: number
  /** Microseconds since 1970. */
  readonly active_from: number
  readonly active_until: number
  readonly value: StoredValue
}

export interface UniqueRow {
  readonly attribute: number
  readonly key: string
  readonly entity_id: string
}

export interface WorkspaceTables {
  readonly entityTypes: readonly StoredEntityType[]
  readonly history: readonly EndedValue[]
  readonly uniques: readonly UniqueRow[]
  readonly merges: readonly { readonly old_id: string; readonly new_id: string }[]
  readonly trash: readonly { readonly id: string; readonly merged_into: string | null }[]
  /** The records to which the parts of the trash belong. */
  readonly trashedParts: readonly { readonly record_id: string }[]
}

/** How the names of tables of entities begin. */
const PREFIXES = { object: 'o', list: 'l', activity: 'a' } as const

/** All tables of the only workspace, in one snapshot. */
export const readWorkspace = (reader: Reader): Promise<WorkspaceTables> =>
  reader.begin('isolation level repeatable read read only', async (tx) => {
    const [workspace] = await tx<{ id: string; number: number }[]>`select id, number from relata.workspaces`
    if (!workspace) throw new Error('There is no workspace.')
    const schema = `w_${workspace.number}`
    const attributes = await tx<StoredAttribute[]>`
      select id, number, entity_type_id, api_slug, type, is_unique, is_multiselect, stored_in, relationship_attribute_id
      from relata.attributes where workspace_id = ${workspace.id} order by number`
    const found = await tx<Pick<StoredEntityType, 'id' | 'number' | 'kind' | 'api_slug'>[]>`
      select id, number, kind, api_slug from relata.entity_types where workspace_id = ${workspace.id} order by number`
    const entityTypes: StoredEntityType[] = []
    for (const entityType of found) {
      const own = attributes.filter(({ entity_type_id }) => entity_type_id === entityType.id)
      const rows = await tx.unsafe<{ row: string }[]>(
        `select to_json(h)::text as row from ${schema}.${PREFIXES[entityType.kind]}_${entityType.number} h`,
      )
      entityTypes.push({
        ...entityType,
        attributes: own,
        entities: rows.map(({ row }) => readEntity(JSON.parse(row), own)),
      })
    }
    const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint::float8 as ${column}`
    const history = await tx.unsafe<(Omit<EndedValue, 'value'> & { value: string })[]>(
      `select entity_id, attribute, ${micros('active_from')}, ${micros('active_until')}, value::text as value from ${schema}.history`,
    )
    return {
      entityTypes,
      history: history.map((row) => ({ ...row, value: JSON.parse(row.value) as StoredValue })), // an object of members
      uniques: await tx.unsafe<UniqueRow[]>(`select attribute, key, entity_id from ${schema}.uniques`),
      merges: await tx.unsafe<{ old_id: string; new_id: string }[]>(`select old_id, new_id from ${schema}.merges`),
      trash: await tx.unsafe<{ id: string; merged_into: string | null }[]>(
        `select id, merged_into from ${schema}.trash`,
      ),
      trashedParts: await tx.unsafe<{ record_id: string }[]>(`select distinct record_id from ${schema}.trash_parts`),
    }
  }) as Promise<WorkspaceTables> // the driver's type for the callback's result is wider

type Row = Readonly<Record<string, unknown>> & Pick<Entity, 'id' | 'created_at' | 'parent_record_id'>

function readEntity(row: Row, attributes: readonly StoredAttribute[]): Entity {
  const values = new Map<number, readonly StoredValue[]>()
  for (const attribute of attributes) {
    if (attribute.stored_in !== 'columns') continue
    const read = readValues(row, attribute)
    if (read.length > 0) values.set(attribute.number, read)
  }
  const provenance = (row.provenance ?? {}) as Entity['provenance'] // entries by attribute number
  const { id, created_at, parent_record_id } = row
  return { id, created_at, provenance, values, ...(parent_record_id !== undefined && { parent_record_id }) }
}

/** Throws when the columns of one attribute have different numbers of values. */
function readValues(row: Row, { number, is_multiselect, api_slug }: StoredAttribute): StoredValue[] {
  const prefix = `a_${number}_`
  const columns = Object.entries(row).filter(([name]) => name.startsWith(prefix))
  const members = columns.map(([name, value]) => [name.slice(prefix.length), value] as const)
  if (!is_multiselect) {
    return members.some(([, value]) => value !== null) ? [Object.fromEntries(members)] : []
  }
  const lists = members.map(([member, value]) => [member, (value ?? []) as readonly unknown[]] as const) // array columns
  const lengths = new Set(lists.map(([, list]) => list.length))
  if (lengths.size > 1) throw new Error(`${api_slug} of ${row.id} has columns of different lengths`)
  return Array.from({ length: lists[0]?.[1].length ?? 0 }, (_, index) =>
    Object.fromEntries(lists.map(([member, list]) => [member, list[index]])),
  )
}
