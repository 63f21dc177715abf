/** The layout of rows: the select list that reads the entities of one entity type, and the values of each attribute in its rows. */

import { createLru, type Lru } from '#base/caching/caching'
import { columnsOf, type ValueColumn, columnName, memberSql } from '#engine/attribute-types/definition/columns'
import type { Scalar, SqlType, Stored } from '#engine/attribute-types/define'
import { visibleAttributes, allowsObject, entityTypeOf, otherSideOf } from '#engine/data-model/find'
import {
  type Attribute,
  type DataModel,
  type EntityType,
  type RecordType,
  SYSTEM_ACTOR,
} from '#engine/data-model/model'
import { microsFromPostgres, type Micros } from '#base/timing/clock'
import {
  type Creation,
  microsSql,
  parseProvenance,
  type Provenance,
  provenanceSql,
  type DatedValue,
  datedValueAt,
} from './provenance'
import { attributeType } from '#engine/attribute-types/registry'

/** A row of an entity's table, in the order of its layout's select list. */
export type Row = readonly unknown[]

/** The columns of every entity, which come first in every row. */
const FIXED = ['id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version', 'provenance'] as const
/** Their positions in every row. */
export const POSITION = {
  id: 0,
  created_at: 1,
  created_by: 2,
  updated_at: 3,
  updated_by: 4,
  version: 5,
  provenance: 6,
} as const
/** The further columns of an entry: the record that it stands for. */
export const PARENT_COLUMNS = [
  ['parent_object', 'int'],
  ['parent_record_id', 'uuid'],
] as const
const FIRST_PARENT_COLUMN = FIXED.length
const HEAD = [POSITION.id, POSITION.created_at, POSITION.created_by, POSITION.provenance]
const PARENT = PARENT_COLUMNS.map((_, index) => FIRST_PARENT_COLUMN + index)

export interface LaidOutAttribute {
  readonly attribute: Attribute
  /** The active values in stored order. */
  read(row: Row, created: Creation, provenance: Provenance | null): DatedValue[]
  /** Whether the attribute has no value. */
  isEmpty(row: Row): boolean
  /** The positions in the row that the functions read, besides those of every entity. */
  readonly positions: readonly number[]
  /** The values without their provenance. Absent where they have another creation than their row: references of the other side. */
  readonly stored?: (row: Row) => readonly Stored[]
  /** Whether values that were created with their row have the system as actor: those of computed attributes. */
  readonly isOfSystem?: true
}

type Reader = Omit<LaidOutAttribute, 'attribute'>

export interface Layout {
  /** The select list over the table under the name `h`. */
  readonly select: string
  /**
   * The list for `returning` of a statement that updates. `clock` gives the SQL of the time for formulas, and is called if one reads it:
   * Citus refuses `now()` there.
   */
  selectUpdated(clock: () => string): string
  /** The same of a statement that inserts: nothing can refer to the entities yet. */
  selectInserted(clock: () => string): string
  /** The select list for pages. It has null in the place of the columns of all entities that no value shows, such as the version. */
  readonly selectPage: string
  readonly attributes: readonly LaidOutAttribute[]
  /** The positions of the columns that every rendering of an entity needs. */
  readonly headPositions: readonly number[]
}

export const idOf = (row: Row): string => row[POSITION.id] as string // the primary key
export const versionOf = (row: Row): number => row[POSITION.version] as number // an int column, not null
export const createdAtText = (row: Row): string => row[POSITION.created_at] as string // timestamptz comes as text
export const updatedAtText = (row: Row): string => row[POSITION.updated_at] as string // timestamptz comes as text
export const parentOf = (row: Row) => ({
  object: row[FIRST_PARENT_COLUMN] as number, // entries only: int, not null
  recordId: row[FIRST_PARENT_COLUMN + 1] as string, // entries only: uuid, not null
})

/** The number of the actor. */
export const creatorOf = (row: Row): number => row[POSITION.created_by] as number // an int column, not null

export const creationOf = (row: Row): Creation => ({
  at: microsFromPostgres(createdAtText(row)),
  actor: creatorOf(row),
})

export const provenanceOf = (row: Row): Provenance | null => parseProvenance(row[POSITION.provenance] as string | null) // jsonb comes as text

const layouts = new WeakMap<EntityType, Layout>()

/** The layout of the attributes that answers show. It is cached with the entity type, so for one version of the data model. */
export function layoutOf(model: DataModel, entityType: EntityType): Layout {
  const cached = layouts.get(entityType)
  if (cached) return cached
  const layout = compileLayout(model, entityType, visibleAttributes(model, entityType).filter(isShown))
  layouts.set(entityType, layout)
  return layout
}

const selectedLayouts = new WeakMap<EntityType, Lru<string, Layout>>()

/** Most entity types are read with fewer selections of attributes. */
const MAX_SELECTIONS = 200

/** The layout of selected attributes, cached in the same way. */
export function layoutOfSelected(model: DataModel, entityType: EntityType, selected: readonly Attribute[]): Layout {
  let cached = selectedLayouts.get(entityType)
  if (!cached) selectedLayouts.set(entityType, (cached = createLru(MAX_SELECTIONS)))
  const key = selected.map(({ number }) => number).join(',')
  const found = cached.get(key)
  if (found) return found
  const layout = compileLayout(model, entityType, selected)
  cached.set(key, layout)
  return layout
}

/** An entry shows its parent beside its values. See docs/reference/objects-and-attributes.md (System attributes). */
const isShown = ({ stored_in, api_slug }: Attribute): boolean => stored_in !== 'entity' || api_slug !== 'parent_record'

/** The layout of the given attributes of an entity type, in their order. */
export function compileLayout(model: DataModel, entityType: EntityType, attributes: readonly Attribute[]): Layout {
  const select: string[] = FIXED.map((column) => `h.${column}`)
  const derived = new Set<number>()
  /** The SQL of what functions compute, by position. */
  const computed = new Map<number, (clock: () => string) => string | null>()
  if (entityType.kind === 'list') select.push(...PARENT_COLUMNS.map(([column]) => `h.${column}`))
  const laidOut = attributes.map((attribute): LaidOutAttribute => {
    if (attribute.stored_in === 'partner') {
      derived.add(select.push(derivedColumn(model, attribute)) - 1)
      return { attribute, ...derivedReader(model, attribute, select.length - 1) }
    }
    const columns = columnsOf(attribute).map((column) => ({
      ...column,
      position: positionOf(memberSql(attribute, column.member, 'h'), select),
    }))
    for (const { member, position } of columns)
      if (member === attribute.call?.member)
        computed.set(position, (clock) => memberSql(attribute, member, 'h', clock()))
    return { attribute, ...sharedReader(attribute, columns) }
  })
  const headPositions = entityType.kind === 'list' ? [...HEAD, ...PARENT] : HEAD
  const shown = new Set([...headPositions, ...laidOut.flatMap(({ positions }) => positions)])
  const selectPage = select.map((column, position) => (shown.has(position) ? column : 'null')).join(', ')
  return {
    select: select.join(', '),
    ...(computed.size === 0 ? fixedLists(select, derived) : listsOfClock(select, derived, computed)),
    selectPage,
    attributes: laidOut,
    headPositions,
  }
}

type ReturningLists = Pick<Layout, 'selectUpdated' | 'selectInserted'>

const withoutDerived = (select: readonly string[], derived: ReadonlySet<number>): string =>
  select.map((column, position) => (derived.has(position) ? 'null' : column)).join(', ')

/** A separate function: layouts of cached data models keep what their functions can read, which here is two texts. */
function fixedLists(select: readonly string[], derived: ReadonlySet<number>): ReturningLists {
  const [updated, inserted] = [select.join(', '), withoutDerived(select, derived)]
  return { selectUpdated: () => updated, selectInserted: () => inserted }
}

function listsOfClock(
  select: readonly string[],
  derived: ReadonlySet<number>,
  computed: ReadonlyMap<number, (clock: () => string) => string | null>,
): ReturningLists {
  const columnsAt = (clock: () => string) => select.map((column, position) => computed.get(position)?.(clock) ?? column)
  return {
    selectUpdated: (clock) => columnsAt(clock).join(', '),
    selectInserted: (clock) => withoutDerived(columnsAt(clock), derived),
  }
}

/** The position of a member in the row, by its SQL. Appends it to the select list if it lacks it. -1 for a member that is always null. */
function positionOf(sql: string | null, select: string[]): number {
  if (sql === null) return -1
  const selected = select.indexOf(sql)
  return selected >= 0 ? selected : select.push(sql) - 1
}

type SelectedColumn = ValueColumn & { readonly position: number }

/** The same attribute of a standard object has the same columns at the same positions in most workspaces. */
const readers = createLru<string, Reader>(5_000)

function sharedReader(attribute: Attribute, columns: readonly SelectedColumn[]): Reader {
  const { number, is_multiselect, stored_in } = attribute
  const places = columns.map(({ member, sqlType, position }) => `${member} ${sqlType} ${position}`)
  const key = `${number} ${is_multiselect} ${stored_in} ${places.join()}`
  const known = readers.get(key)
  if (known) return known
  const reader = columnReader(attribute, columns)
  readers.set(key, reader)
  return reader
}

/** The reader refers to nothing of the data model, because it outlives it. */
function columnReader({ number, is_multiselect, stored_in }: Attribute, columns: readonly SelectedColumn[]): Reader {
  const attributeNumber = String(number)
  const isComputed = ['formula', 'function', 'worker'].includes(stored_in)
  if (is_multiselect) return multiselectReader(columns, attributeNumber, isComputed)
  const entityActor = stored_in === 'entity'
  const positions = columns.flatMap(({ position }) => (position < 0 ? [] : [position]))
  const isEmpty = (row: Row): boolean => {
    for (const position of positions) if (row[position] !== null) return false
    return true
  }
  const storedIn = (row: Row): Stored => {
    const stored: Record<string, Scalar> = {}
    for (const { member, position } of columns) stored[member] = position < 0 ? null : (row[position] as Scalar) // the driver's scalars
    return stored
  }
  const stored = (row: Row): readonly Stored[] => (isEmpty(row) ? NONE : [storedIn(row)])
  if (isComputed) {
    const read = (row: Row, { at }: Creation, provenance: Provenance | null): DatedValue[] =>
      isEmpty(row) ? [] : [datedValueAt(storedIn(row), provenance?.[attributeNumber], 0, { at, actor: SYSTEM_ACTOR })]
    return { isEmpty, positions, stored, isOfSystem: true, read }
  }
  return {
    isEmpty,
    positions,
    stored,
    read: (row, created, provenance) =>
      isEmpty(row)
        ? []
        : [datedValueAt(storedIn(row), entityActor ? undefined : provenance?.[attributeNumber], 0, created)],
  }
}

const NONE: readonly Stored[] = []

function multiselectReader(columns: readonly SelectedColumn[], attributeNumber: string, isComputed: boolean): Reader {
  const typed = columns.map(({ member, position, sqlType }) => ({ member, position, read: scalarReader(sqlType) }))
  const first = typed[0]
  if (!first) throw new Error('An attribute type declares at least one column.')
  const lengthIn = (row: Row): number => (row[first.position] as readonly unknown[] | null)?.length ?? 0 // arrays of one attribute are equally long
  const stored = (row: Row): Stored[] =>
    Array.from({ length: lengthIn(row) }, (_, index) => {
      const value: Record<string, Scalar> = {}
      for (const { member, position, read } of typed)
        value[member] = read((row[position] as (string | null)[])[index] ?? null) // as above
      return value
    })
  const isEmpty = (row: Row): boolean => lengthIn(row) === 0
  const positions = columns.map(({ position }) => position)
  if (isComputed) {
    const read = (row: Row, { at }: Creation, provenance: Provenance | null): DatedValue[] =>
      stored(row).map((value, index) =>
        datedValueAt(value, provenance?.[attributeNumber], index, { at, actor: SYSTEM_ACTOR }),
      )
    return { isEmpty, positions, stored, isOfSystem: true, read }
  }
  return {
    isEmpty,
    positions,
    stored,
    read: (row, created, provenance) =>
      stored(row).map((value, index) => datedValueAt(value, provenance?.[attributeNumber], index, created)),
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

/** An entity of the partner that refers to this one: its id, creation in microseconds, creator, provenance entry. */
type DerivedItem = [id: string, at: Micros, actor: number, entry: NonNullable<Provenance[string]>[number] | null]

/**
 * The derived side of a relationship: a subselect over the partner's table of the entities that refer to this row. The
 * reference is stored once, so the two sides cannot disagree. PostgreSQL opens the table and its indexes for each workspace and connection, so
 * the table of an unused entity type is left out. See docs/decisions/unused-objects.md.
 */
function derivedColumn(model: DataModel, attribute: Attribute): string {
  const { attribute: partner, entityType } = getPartner(model, attribute)
  if (entityType.isUnused) return 'null'
  const column = `d.${targetColumn(partner)}`
  const refers = partner.is_multiselect ? `${column} @> array[h.id]` : `${column} = h.id`
  const index = partner.is_multiselect ? `array_position(${column}, h.id) - 1` : '0'
  const entry = provenanceSql('d.provenance', partner.number, `(${index})`)
  const item = `jsonb_build_array(d.id, ${microsSql('d.created_at')}, d.created_by, ${entry})`
  return `(select jsonb_agg(${item}) from ${entityType.table} d where ${refers})`
}

function derivedReader(model: DataModel, attribute: Attribute, position: number): Reader {
  const target_object = getPartner(model, attribute).entityType.number
  const read = (row: Row): DatedValue[] => {
    const text = row[position] as string | null // jsonb comes as text
    if (text === null) return []
    const items = JSON.parse(text) as DerivedItem[] // made by derivedColumn
    const datedValues = items.map(([target_record_id, createdAt, actor, entry]) => {
      const stored: Stored = { target_object, target_record_id }
      const datedValue = datedValueAt(stored, entry === null ? undefined : [entry], 0, { at: createdAt, actor })
      return { ...datedValue, writtenFromOtherSide: !datedValue.writtenFromOtherSide }
    })
    return datedValues.length > 1 ? datedValues.sort(byRank) : datedValues
  }
  return { read, positions: [position], isEmpty: (row) => row[position] === null }
}

/**
 * Newest first: a reference that was added on the other side comes first.
 * See docs/reference/values.md (Relationships).
 */
const byRank = (a: DatedValue, b: DatedValue): number =>
  (b.rank ?? b.active_from) - (a.rank ?? a.active_from) ||
  (String(a.stored.target_record_id) < String(b.stored.target_record_id) ? 1 : -1)

// The columns in which references are stored, and the attributes that have them.

/** The column of an attribute's own table that holds the ids of the records it refers to. */
export const targetColumn = (attribute: Attribute): string => columnName(attribute, 'target_record_id')

/** The column that holds the numbers of the objects of those records. */
export const targetObjectColumn = (attribute: Attribute): string => columnName(attribute, 'target_object')

/** The side of a relationship that stores the references, and its entity type. */
export interface Partner {
  readonly attribute: Attribute
  readonly entityType: EntityType
}

/** The partner of a derived attribute. */
export function getPartner(model: DataModel, derived: Attribute): Partner {
  const attribute = otherSideOf(model, derived)
  if (!attribute) throw new Error(`Attribute ${derived.id} is derived from a partner that does not exist.`)
  return { attribute, entityType: entityTypeOf(model, attribute) }
}

/** Whether an attribute is one side of a two-sided relationship. */
export const isRelationship = (model: DataModel, attribute: Attribute): boolean =>
  otherSideOf(model, attribute) !== undefined

/** Whether an attribute has columns of references. */
export const storesReferences = ({ type, stored_in }: Attribute): boolean =>
  attributeType(type).refersToRecords === true && stored_in === 'columns'

/** The attributes, of all entity types and archived or not, whose columns may hold a reference to records of `object`. */
export const attributesReferringTo = (model: DataModel, object: RecordType): Attribute[] =>
  [...model.attributesById.values()].filter(
    (attribute) => storesReferences(attribute) && allowsObject(attribute, object),
  )
