/** What an attribute type is to the console: how its values are shown, edited, filtered and exported. */

import type { Component } from 'svelte'
import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import type { Value } from '../api/records/entities'

/** Properties of every input of values. An input passes other properties on to its control. */
export interface InputProps {
  entityType: EntityTypePath
  attribute: Attribute
  /** The values in the form in which the API takes them. */
  input: readonly unknown[]
  /** Called when the input is complete, such as after a single option was selected. */
  ondone?: (() => unknown) | undefined
  id?: string
  'aria-label'?: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: true | undefined
}

export interface ShownProps {
  value: Value
  attribute: Attribute
}

/** The input of an operand. */
export type OperandKind =
  'text' | 'number' | 'date' | 'instant' | 'rating' | 'yes-no' | 'option' | 'member' | 'record' | 'country'

/** A property of a value that filters can name. */
export interface FilterField {
  /** The property in filters; null for the property that a filter means when it names none. */
  readonly name: string | null
  readonly label: string
  readonly operators: readonly string[]
  readonly operand: OperandKind
}

export type DefaultEditor = 'text' | 'number' | 'checkbox' | 'option' | 'time' | 'member'

export interface ValueType {
  /** A value as text. */
  text(value: Value, attribute: Attribute): string
  /** A value as it is shown first, without its less common parts; `text` is shown where there are no other parts. */
  shortText?(value: Value): string
  /** The same value in the form in which the API takes it. */
  input(value: Value): unknown
  /** The value that the service will most likely return for an input; it is shown until the service responds. */
  optimistic(input: unknown, attribute: Attribute, entityType: EntityTypePath): Readonly<Record<string, unknown>>
  /** One sentence that says what to enter, for a value that was refused. */
  readonly refusal: string
  /** The component that shows a value; without it a value is shown as text. */
  readonly Shown?: Component<ShownProps>
  /** Absent for types whose values only the service writes. */
  readonly Input?: Component<InputProps, object, 'input'>
  readonly fields: readonly FilterField[]
  /** The width of what is around the text of a shown value, in pixels. */
  readonly frame?: number
  /** The width of a column, in rem. */
  readonly width: number
  /** Columns of numbers are right-aligned. */
  readonly isNumeric?: true
  /** Whether values are references to records, which link to the pages of those records. */
  readonly isReference?: true
  /** Whether values repeat, so that records are grouped by them. */
  readonly isGroupable?: true
  /** What the groups of a chart are: one for each value, or periods. Absent: there are none. */
  readonly groups?: 'values' | 'periods'
  /** Whether attributes have a currency. */
  readonly hasCurrency?: true
  /** Whether attributes decide about the separators of thousands. */
  readonly hasThousandsSeparators?: true
  /** The parts of a value that columns of an import can have, with their labels. */
  readonly parts?: Readonly<Record<string, string>>
  /** Whether an import needs a country for values that name none. */
  readonly needsCountry?: true
  /** The input of a default value. Default values of the other types are set through the API. */
  readonly defaultEditor?: DefaultEditor
  /** What a cell without a value shows. A press on it sets the value, as a press on a value does. */
  readonly emptyValue?: Value
  /** A sum or an average of values as text. Only types whose values are added have it. */
  amountText?(amount: number, attribute: Attribute): string
  /** A value as text for other programs, which `read` takes back. Without it, the one that people see. */
  plainText?(value: Value): string
  /**
   * Reads the text of one value, such as a pasted one, to the form in which the API takes it; undefined for text that is no
   * value, or an `UnreadableText` with a sentence of its own. Without it, the API reads the text.
   */
  read?(text: string, attribute: Attribute, entityType: EntityTypePath): unknown
  /** One sentence that says what to paste, where it is not `refusal`. */
  readonly unreadable?: string
  /** What typing on a cell does: it replaces the value, unless it begins a search or does nothing. */
  readonly typing?: 'search' | 'none'
  /** The input that one key sets on a cell without an editor; undefined for other keys. */
  keyInput?(key: string, input: readonly unknown[]): readonly unknown[] | undefined
  /** Loads what `text` needs, such as the names of records. */
  loadText?(values: readonly Value[]): Promise<void>
}

/** Why a text cannot be read, in one sentence. */
export class UnreadableText {
  readonly problem: string

  constructor(problem: string) {
    this.problem = problem
  }
}

export const TEXTUAL = ['$eq', '$contains', '$starts_with', '$ends_with', '$not_empty']
export const ORDERED = ['$eq', '$gt', '$gte', '$lt', '$lte', '$not_empty']
export const EXACT = ['$eq', '$not_empty']

/** The field that a filter means when it names none. */
export const defaultField = (operand: OperandKind, operators: readonly string[]): FilterField => ({
  name: null,
  label: 'Value',
  operators,
  operand,
})

export const textField = (name: string, label: string): FilterField => ({
  name,
  label,
  operators: TEXTUAL,
  operand: 'text',
})

/** Text unchanged, any other value as JSON. */
export const asText = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given ?? null))
