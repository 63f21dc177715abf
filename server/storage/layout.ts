/**
 * How the entities of one entity type are read: the select list, and where in its rows each attribute's values are. Compiled
 * once per data model and kept with its entity type.
 */

import { columnsOf, type ValueColumn } from '../attribute-types/definition/columns'
import type { Scalar, SqlType, Stored } from '../attribute-types/define'
import { entityTypeOf, otherSideOf } from '../data-model/find'
import type { Attribute, DataModel, EntityType } from '../data-model/model'
import { microsFromPostgres, type Micros } from '../timing/clock'
import { type Creation, type Provenance, type Version, versionAt } from './provenance'

/** A row of an entity's table, in the order of its layout's select list. */
export type Row = readonly unknown[]

/** The columns every entity has, first in every row. */
export const FIXED = ['id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version', 'provenance'] as const
const AT = { id: 0, created_at: 1, created_by: 2, updated_at: 3, updated_by: 4, version: 5, provenance: 6 } as const
const FIRST_PARENT_COLUMN = FIXED.length

export interface LaidOutAttribute {
  readonly attribute: Attribute
  /** Its active values in stored order. */
  read(row: Row, created: Creation, provenance: Provenance | null): Version[]
  /** Whether it has none. */
  isEmpty(row: Row): boolean
  /** The values alone; absent where the row does not say all of where they come from. */
  readonly stored?: (row: Row) => readonly Stored[]
}

type Reader = Omit<LaidOutAttribute, 'attribute'>

export interface Layout {
  /** The select list over the table under the name `h`. */
  readonly select: string
  /** The same for entities made by the same statement: nothing can refer to them yet. */
  readonly selectNew: string
  readonly attributes: readonly LaidOutAttribute[]
}

export const idOf = (row: Row): string => row[AT.id] as string // the primary key
export const versionOf = (row: Row): number => row[AT.version] as number // an int column, not null
export const createdAtText = (row: Row): string => row[AT.created_at] as string // timestamptz comes as text
export const updatedAtText = (row: Row): string => row[AT.updated_at] as string // timestamptz comes as text
export const parentOf = (row: Row) => ({
  object: row[FIRST_PARENT_COLUMN] as number, // entries only: int, not null
  recordId: row[FIRST_PARENT_COLUMN + 1] as string, // entries only: uuid, not null
})

/** The number of the actor. */
export const creatorOf = (row: Row): number => row[AT.created_by] as number // an int column, not null

export const creationOf = (row: Row): Creation => ({
  at: microsFromPostgres(createdAtText(row)),
  actor: creatorOf(row),
})

export const provenanceOf = (row: Row): Provenance | null => {
  const text = row[AT.provenance] as string | null // jsonb comes as text
  return text === null ? null : (JSON.parse(text) as Provenance) // only `values/` writes it
}

/** Lays out the given attributes of an entity type, in their order. */
export function compileLayout(model: DataModel, entityType: EntityType, attributes: readonly Attribute[]): Layout {
  const select: string[] = FIXED.map((column) => `h.${column}`)
  const derived = new Set<number>()
  if (entityType.kind === 'list') select.push('h.parent_object', 'h.parent_record_id')
  const laidOut = attributes.map((attribute): LaidOutAttribute => {
    if (attribute.stored_in === 'partner') {
      derived.add(select.push(derivedColumn(model, attribute)) - 1)
      return { attribute, ...derivedReader(model, attribute, select.length - 1) }
    }
    const columns = columnsOf(attribute).map((column) => ({ ...column, at: positionOf(column, select) }))
    return { attribute, ...columnReader(attribute, columns) }
  })
  const selectNew = select.map((column, at) => (derived.has(at) ? 'null' : column)).join(', ')
  return { select: select.join(', '), selectNew, attributes: laidOut }
}

/** Where a column is in the row; it joins the select list when it is not there yet. -1 when there is no such column. */
function positionOf({ name }: ValueColumn, select: string[]): number {
  if (name === null) return -1
  const known = select.indexOf(`h.${name}`)
  return known >= 0 ? known : select.push(`h.${name}`) - 1
}

type PlacedColumn = ValueColumn & { readonly at: number }

function columnReader(attribute: Attribute, columns: readonly PlacedColumn[]): Reader {
  const entriesAt = String(attribute.number)
  if (attribute.is_multiselect) return multiselectReader(columns, entriesAt)
  const entityActor = attribute.stored_in === 'entity'
  const places = columns.flatMap(({ at }) => (at < 0 ? [] : [at]))
  const isEmpty = (row: Row): boolean => {
    for (const at of places) if (row[at] !== null) return false
    return true
  }
  const storedIn = (row: Row): Stored => {
    const stored: Record<string, Scalar> = {}
    for (const { member, at } of columns) stored[member] = at < 0 ? null : (row[at] as Scalar) // the driver's scalars
    return stored
  }
  return {
    isEmpty,
    stored: (row) => (isEmpty(row) ? NONE : [storedIn(row)]),
    read: (row, created, provenance) =>
      isEmpty(row) ? [] : [versionAt(storedIn(row), entityActor ? undefined : provenance?.[entriesAt], 0, created)],
  }
}

const NONE: readonly Stored[] = []

function multiselectReader(columns: readonly PlacedColumn[], entriesAt: string): Reader {
  const typed = columns.map(({ member, at, sqlType }) => ({ member, at, read: scalarReader(sqlType) }))
  const first = typed[0]
  if (!first) throw new Error('An attribute type declares at least one column.')
  const lengthIn = (row: Row): number => (row[first.at] as readonly unknown[] | null)?.length ?? 0 // arrays of one attribute are equally long
  const stored = (row: Row): Stored[] =>
    Array.from({ length: lengthIn(row) }, (_, index) => {
      const value: Record<string, Scalar> = {}
      for (const { member, at, read } of typed) value[member] = read((row[at] as (string | null)[])[index] ?? null) // as above
      return value
    })
  return {
    isEmpty: (row) => lengthIn(row) === 0,
    stored,
    read: (row, created, provenance) =>
      stored(row).map((value, index) => versionAt(value, provenance?.[entriesAt], index, created)),
  }
}

/** Array elements come as text, whatever their type. */
function scalarReader(sqlType: ValueColumn['sqlType']): (text: string | null) => Scalar {
  const element = sqlType.replace('[]', '') as SqlType // every ValueColumn type is a SqlType or an array of one
  if (element === 'int' || element === 'smallint' || element === 'double precision')
    return (text) => (text === null ? null : Number(text))
  if (element === 'boolean') return (text) => (text === null ? null : text === 't')
  return (text) => text
}

/** One entity of the partner that refers to this one: its id, creation in microseconds, creator, provenance entry. */
type DerivedItem = [id: string, at: Micros, actor: number, entry: NonNullable<Provenance[string]>[number] | null]

/**
 * The derived side of a relationship, as a subselect over the partner's table: every entity there that refers to this
 * row. The reference exists once, so the two sides cannot disagree.
 */
function derivedColumn(model: DataModel, attribute: Attribute): string {
  const partner = storedPartner(model, attribute)
  const column = `d.a_${partner.number}_target_record_id`
  const refers = partner.is_multiselect ? `${column} @> array[h.id]` : `${column} = h.id`
  const index = partner.is_multiselect ? `array_position(${column}, h.id) - 1` : '0'
  const micros = '(extract(epoch from d.created_at) * 1000000)::bigint'
  const item = `jsonb_build_array(d.id, ${micros}, d.created_by, d.provenance->'${partner.number}'->(${index}))`
  return `(select jsonb_agg(${item}) from ${entityTypeOf(model, partner).table} d where ${refers})`
}

function derivedReader(model: DataModel, attribute: Attribute, at: number): Reader {
  const target_object = entityTypeOf(model, storedPartner(model, attribute)).number
  const read = (row: Row): Version[] => {
    const text = row[at] as string | null // jsonb comes as text
    if (text === null) return []
    const items = JSON.parse(text) as DerivedItem[] // made by derivedColumn
    const versions = items.map(([target_record_id, createdAt, actor, entry]) => {
      const stored: Stored = { target_object, target_record_id }
      const version = versionAt(stored, entry === null ? undefined : [entry], 0, { at: createdAt, actor })
      return { ...version, mirrored: !version.mirrored }
    })
    return versions.length > 1 ? versions.sort(byRank) : versions
  }
  return { read, isEmpty: (row) => row[at] === null }
}

/**
 * Newest first: what is added to a list from the other side stands in front.
 * See docs/reference/values.md (Relationships).
 */
const byRank = (a: Version, b: Version): number =>
  (b.rank ?? b.active_from) - (a.rank ?? a.active_from) ||
  (String(a.stored.target_record_id) < String(b.stored.target_record_id) ? 1 : -1)

/** The other side of a relationship that is derived here: the attribute that holds the references. */
export function storedPartner(model: DataModel, attribute: Attribute): Attribute {
  const partner = otherSideOf(model, attribute)
  if (!partner) throw new Error(`Attribute ${attribute.id} is derived from a partner that does not exist.`)
  return partner
}
