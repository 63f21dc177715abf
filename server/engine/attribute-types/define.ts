/**
 * The definition of an attribute type, in the order of a value's life: in, stored, out, searched. One file per type
 * declares one definition; `registry.ts` collects them.
 * See docs/reference/values.md (Types at a glance) and docs/reference/query.md (Fields by type).
 */

import type { Static, TSchema } from 'typebox'
import type { Attribute, AttributeConfig, DataModel, RecordType } from '#engine/data-model/model'
import type { AllowedSettings, TypeName } from '#vocabulary/data-model'
import type { ByteSpan } from '#base/text/copy-bytes'
import type { SqlForm } from './definition/sql-form'

/** The content of one column of a value. Numbers that JavaScript would round, dates and instants are text. */
export type Scalar = string | number | boolean | null

/** The SQL types of columns with their JavaScript types. */
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

/** The members of a stored value. Each is a column of the entity type's table, for a multiselect an array column. */
export type Columns = Readonly<Record<string, SqlType>>

/** One value as stored: every declared member, null where it has none. A value has at least one that is not null. */
export type Stored<C extends Columns = Columns> = { readonly [Member in keyof C]: SqlTypes[C[Member]] | null }

/** Looks up the records that a value refers to. The caller provides it. */
export interface RecordLookup {
  recordExists(object: RecordType, id: string): Promise<boolean>
  /** The record of `object` that has `key` in the unique `attribute`. */
  findRecordByKey(object: RecordType, attribute: Attribute, key: string): Promise<string | undefined>
}

/** Returns the key of a raw value of another, unique attribute, for types that refer by such a value. */
export type MatchingKey = (raw: unknown, attribute: Attribute, model: DataModel) => string

export type Operator =
  | '$eq'
  | '$in'
  | '$not_empty'
  | '$contains'
  | '$starts_with'
  | '$ends_with'
  | '$lt'
  | '$lte'
  | '$gt'
  | '$gte'
  | '$relative'

/** Converts an operand to the form that its property compares with. Throws `InvalidValue` for other operands. */
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
  /** A column that orders equal values, such as the nanoseconds of a timestamp. Operands are then pairs. */
  readonly remainder?: Column
  /** Makes SQL of the column's SQL, if the property is a part of the column's content. */
  readonly expression?: (columnSql: string) => string
  readonly operand: Operand<Scalar | readonly [Scalar, Scalar]>
  /** The content that comparisons assume for an entity without a value. */
  readonly absentAs?: Scalar
  /** The column's values in sort order, if that differs from their own order. Other values come after them. */
  readonly ranked?: (attribute: Attribute, model: DataModel) => readonly number[]
}

/** Read from a column of numbers, such as those of actors. `$eq` is true for each number that `operand` returns. */
export interface NumbersProperty<Column extends string = string> extends PropertyBase {
  readonly source: 'numbers'
  readonly column: Column
  readonly operand: Operand<readonly number[]>
  /** As in `ColumnProperty`. */
  readonly ranked?: (attribute: Attribute, model: DataModel) => readonly number[]
}

/** The instant since which the value is active. Operands are instants in the stored form of a timestamp. */
export interface ActiveFromProperty extends PropertyBase {
  readonly source: 'active_from'
  readonly operand: Operand<string>
}

/** A part of a value that filters and sorts can name. */
export type Property<Column extends string = string> =
  ColumnProperty<Column> | NumbersProperty<Column> | ActiveFromProperty

/** Select options, or statuses, which have more members. */
export type OptionKind = 'select' | 'status'

/** The part of an attribute's configuration that belongs to its type. */
export interface TypeConfig<I extends TSchema = TSchema> {
  /** Its member in `config`, in requests and in the data model. */
  readonly member: keyof AttributeConfig
  /** The form in requests. */
  readonly input: I
  /** The configuration of a new attribute, where a request does not say otherwise. */
  readonly initial: AttributeConfig
  parse(input: Static<I>, model: DataModel): AttributeConfig
}

export type PlainOutput = 'string' | 'number' | 'instant'

/** Texts of an output that are parts of columns. */
export interface PlainTexts<Column extends string> {
  readonly members: readonly string[]
  /** Returns the text of each member. `columns` lacks those without a value. Undefined for a value that needs another form. */
  parts(columns: { readonly [Each in Column]?: ByteSpan }): readonly ByteSpan[] | undefined
}

/** A function, taken from a method for the reason `AttributeType` gives. */
type RenderValue<C extends Columns> = { render(stored: Stored<C>): string }['render']

/**
 * The definition of an attribute type. Its functions are declared as methods, so that a definition with any columns is
 * an `AttributeType`. That is safe, because no definition gets another type's values.
 */
export interface AttributeType<C extends Columns = Columns, I extends TSchema = TSchema, P = unknown> {
  readonly type: TypeName
  readonly allows: AllowedSettings & {
    /** Whether unique attributes of it can name a record, in upserts and references. */
    readonly match: boolean
    /** Whether `null` clears it. */
    readonly null: boolean
  }

  /** The configuration of a new attribute, where a request does not say otherwise. */
  readonly config?: TypeConfig
  /** What a dynamic default value gives: the actor of the write, or the time of the write plus a duration. Absent: there is none. */
  readonly dynamicDefault?: 'actor' | 'time'
  /** Attributes of this type have options. The kind decides the paths and the form in which the API shows them. */
  readonly optionKind?: OptionKind
  /** Whether values refer to records. */
  readonly refersToRecords?: true
  /** Whether a URL is a value. The host of the URL is stored. */
  readonly isUrlValue?: true
  /** The slugs of the standard objects to which no attribute of this type can be added. */
  readonly notOn?: readonly string[]
  /** Whether an attribute of this type can be the label of a custom object's records. */
  readonly isLabel?: true
  /** The member of a value that is a name, by which an import can match rows with records. */
  readonly nameMember?: keyof C & string

  /** The full input form. Members that it does not name are ignored. */
  readonly input: I
  /** The schema of the short form. Absent if there is none, or if `input` has it; the titles of options are short forms too. */
  readonly shortForm?: TSchema
  /** Converts a short form, or the form of an answer, to the full form. Returns other values unchanged. */
  shorthand(raw: unknown, attribute: Attribute, model: DataModel): unknown
  /**
   * Checks and normalises one value in full form. Undefined means "no value": the attribute is cleared.
   * Throws `InvalidValue`. `resolve` then looks up what the value refers to.
   */
  parse(input: Static<I>, attribute: Attribute, model: DataModel, matchingKey: MatchingKey): P | undefined
  /** Converts a parsed value to its stored form. Absent if the two are the same. Throws errors of the catalogue. */
  resolve?(parsed: P, attribute: Attribute, model: DataModel, lookup: RecordLookup): Stored<C> | Promise<Stored<C>>

  readonly columns: C
  /** Columns whose index is created with the attribute: a B-tree, or GIN for a multiselect. */
  readonly indexed?: readonly (keyof C & string)[]
  /** Two values with the same key are the same value: in multiselects, for uniqueness and for matching. */
  key(stored: Stored<C>): string

  readonly sql: SqlForm<keyof C & string>
  /** Absent if no formula has values of the type. */
  readonly formula?: FormulaForm<keyof C & string>

  /** The output members, without those that all types share. */
  readonly output: TSchema
  /** Returns a function, once per data model, that renders the output members as JSON text without braces: `"value":"x"`. */
  render(attribute: Attribute, model: DataModel): RenderValue<C>
  /**
   * `render` gives `"value":` and the column `value` as a JSON string, number or instant, if no other column has a value. Pages
   * then copy the bytes that PostgreSQL sent.
   */
  readonly plainOutput?: PlainOutput
  /** `render` gives nothing but these members, each a text that is a part of a column. Pages then copy their bytes as well. */
  readonly plainTexts?: PlainTexts<keyof C & string>
  /** The members of a value in a default value's template, if they differ from those of `render`. */
  template?(stored: Stored<C>, attribute: Attribute): Readonly<Record<string, unknown>>

  readonly properties: { readonly [name: string]: Property<keyof C & string> }
  /** The property of a filter that names none. Null if a filter must name one. */
  readonly defaultProperty: string | null
  /**
   * The column whose content makes groups of aggregates. Absent: values that refer to something make groups as a whole, and others make
   * none.
   */
  readonly groupedBy?: keyof C & string
  /** The property of a sort that names none. Null if such a sort uses the label of the referenced record. */
  readonly defaultSort: string | null
}

/** How the result of a formula becomes a value of the type. */
export interface FormulaForm<Column extends string = string> {
  /** The types of PostgreSQL that a formula may result in. */
  readonly results: readonly string[]
  /** The column with the value. The others are null. */
  readonly column: Column
  /** SQL of the value, from the name of a variable with the result in the type of the column. Null where the type has no such value. */
  value(result: string): string
  /** Whether every finite number is a value, and none is rounded. */
  readonly hasAllNumbers?: true
}

export const defineConfig = <I extends TSchema>(config: TypeConfig<I>): TypeConfig => config

/** Declares a type whose parsed values have their stored form. */
export const defineAttributeType = <const C extends Columns, I extends TSchema>(
  definition: AttributeType<C, I, Stored<C>> & { resolve?: never },
): typeof definition => definition

/** Declares a type whose parsed values name something that `resolve` looks up. */
export const defineReferringType = <const C extends Columns, I extends TSchema, P>(
  definition: AttributeType<C, I, P> & Required<Pick<AttributeType<C, I, P>, 'resolve'>>,
): AttributeType<C, I, P> => definition

/** Short forms of values. See docs/reference/values.md (Types at a glance). */

/** Converts a bare scalar to an object with this one member. */
export const scalarAs =
  (member: string) =>
  (raw: unknown): unknown =>
    typeof raw === 'object' ? raw : { [member]: raw }
