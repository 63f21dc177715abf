/**
 * What a kind of value is, in the order a value lives: in, stored, out, searched. One file per type declares one of
 * these; `registry.ts` collects them.
 * See docs/reference/values.md (Types at a glance) and docs/reference/query.md (Fields by type).
 */

import type { Static, TSchema } from 'typebox'
import type { Attribute, DataModel, ObjectType } from '../data-model/model'
import type { TypeName } from '../data-model/type-names'

/** What a column of one value holds. Numbers that JavaScript would round, dates and instants are text. */
export type Scalar = string | number | boolean | null

/** The types of columns, and what JavaScript has for each. */
interface SqlTypes {
  text: string
  'double precision': number
  numeric: string
  boolean: boolean
  date: string
  timestamptz: string
  smallint: number
  int: number
  uuid: string
}

export type SqlType = keyof SqlTypes

/** The members a value is stored in, each a column of its entity type's table (an array column when multiselect). */
export type Columns = Readonly<Record<string, SqlType>>

/** One value as stored: every declared member, null where it has none. A value has at least one that is not null. */
export type Stored<C extends Columns = Columns> = { readonly [Member in keyof C]: SqlTypes[C[Member]] | null }

/** Finds what a value refers to in the database; handed in by `values/`. */
export interface RecordLookup {
  recordExists(object: ObjectType, id: string): Promise<boolean>
  /** The record of `object` holding `key` in the unique `attribute`. */
  findRecordByKey(object: ObjectType, attribute: Attribute, key: string): Promise<string | undefined>
}

/** The key of a raw value of another, unique attribute; handed in to types that refer by such a value. */
export type MatchingKey = (raw: unknown, attribute: Attribute, model: DataModel) => string

export type Operator =
  '$eq' | '$in' | '$not_empty' | '$contains' | '$starts_with' | '$ends_with' | '$lt' | '$lte' | '$gt' | '$gte'

/** Makes an operand into the form its property compares with. Throws `InvalidValue` when it cannot be one. */
type Operand<Result> = (raw: unknown, attribute: Attribute, model: DataModel, operator: Operator) => Result

interface PropertyBase {
  readonly operators: readonly Operator[]
  /** Another property that a filter must name along with this one. */
  readonly together?: string
}

/** Read from one column; operands are in its stored form. */
export interface ColumnProperty<Column extends string = string> extends PropertyBase {
  readonly source: 'column'
  readonly column: Column
  /** A column that decides among equals, such as the nanoseconds of a timestamp; operands are then pairs. */
  readonly remainder?: Column
  /** SQL made from the column's SQL, when the property is a part of it. */
  readonly expression?: (columnSql: string) => string
  readonly operand: Operand<Scalar | readonly [Scalar, Scalar]>
  /** What an entity without a value counts as. */
  readonly absentAs?: Scalar
  /** The column's values in the order they sort in, where that is not their own; others come after them. */
  readonly ranked?: (attribute: Attribute, model: DataModel) => readonly number[]
}

/** Read from a column of numbers that stand for something: `$eq` holds for every number the operand gives. */
export interface NumbersProperty<Column extends string = string> extends PropertyBase {
  readonly source: 'numbers'
  readonly column: Column
  readonly operand: Operand<readonly number[]>
  /** As of a `ColumnProperty`. */
  readonly ranked?: (attribute: Attribute, model: DataModel) => readonly number[]
}

/** Since when the value is the current one; operands are instants, in the stored form of a timestamp. */
export interface ActiveFromProperty extends PropertyBase {
  readonly source: 'active_from'
  readonly operand: Operand<string>
}

/** One thing of a value that can be filtered and sorted by. */
export type Property<Column extends string = string> =
  ColumnProperty<Column> | NumbersProperty<Column> | ActiveFromProperty

/** A function, taken from a method for the reason `AttributeType` gives. */
type RenderValue<C extends Columns> = { render(stored: Stored<C>): string }['render']

/**
 * A kind of value. Its functions are declared as methods, so that each type, whatever its columns, is an
 * `AttributeType`: none is ever given another type's values.
 */
export interface AttributeType<C extends Columns = Columns, I extends TSchema = TSchema, P = unknown> {
  readonly type: TypeName
  readonly allows: {
    readonly multiselect: boolean
    readonly unique: boolean
    /** Whether such attributes can be created over the API. */
    readonly create: boolean
    /** Whether unique attributes of it can name a record, in upserts and references. */
    readonly match: boolean
    /** Whether `null` clears it. */
    readonly null: boolean
  }

  /** The full input form. Members it does not name are ignored. */
  readonly input: I
  /** Turns a short form, or the form in which the value is read, into the full one; anything else stays as it came. */
  shorthand(raw: unknown, attribute: Attribute, model: DataModel): unknown
  /**
   * Checks and normalises one value in full form. Undefined means "no value": the attribute is cleared.
   * Throws `InvalidValue`. What it refers to is found later, by `resolve`.
   */
  parse(input: Static<I>, attribute: Attribute, model: DataModel, matchingKey: MatchingKey): P | undefined
  /** From what `parse` gave to what is stored. Absent when that is the same. Throws the catalogue's errors. */
  resolve?(parsed: P, attribute: Attribute, model: DataModel, lookup: RecordLookup): Stored<C> | Promise<Stored<C>>

  readonly columns: C
  /** Columns that get an index with the attribute itself: B-tree, or GIN when it is multiselect. */
  readonly indexed?: readonly (keyof C & string)[]
  /** Two values with the same key are the same value: in multiselects, for uniqueness and for matching. */
  key(stored: Stored<C>): string

  /** The output members, without those all types share. */
  readonly output: TSchema
  /** Compiled once per data model: gives the output members as JSON text without braces, `"value":"x"`. */
  render(attribute: Attribute, model: DataModel): RenderValue<C>
  /** The members of a value in a default value's template, where it stands there otherwise than `render` has it. */
  template?(stored: Stored<C>, attribute: Attribute): Readonly<Record<string, unknown>>

  readonly properties: { readonly [name: string]: Property<keyof C & string> }
  /** The property a filter means when it names none. Null when it must name one. */
  readonly defaultProperty: string | null
  /** The property a sort means when it names none. Null when it means what the referenced record is called. */
  readonly defaultSort: string | null
}

/** Declares a type whose parsed values are already as they are stored. */
export const defineAttributeType = <const C extends Columns, I extends TSchema>(
  definition: AttributeType<C, I, Stored<C>> & { resolve?: never },
): AttributeType<C, I, Stored<C>> => definition

/** Declares a type whose parsed values name something that has to be found before they can be stored. */
export const defineReferringType = <const C extends Columns, I extends TSchema, P>(
  definition: AttributeType<C, I, P> & Required<Pick<AttributeType<C, I, P>, 'resolve'>>,
): AttributeType<C, I, P> => definition
