/** What the console knows of a type of attribute: how its values read, how they are written, what can be asked of them. */

import type { Component } from 'svelte'
import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import type { Value } from '../api/records/entities'

/** What an input of values is given. Whatever else it gets belongs to the control itself. */
export interface InputProps {
  entityType: EntityTypePath
  attribute: Attribute
  /** Values as they are written. */
  input: readonly unknown[]
  /** Called when nothing is left to choose. */
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

/** What an operand is written with. */
export type OperandKind =
  'text' | 'number' | 'date' | 'instant' | 'rating' | 'yes-no' | 'choice' | 'member' | 'record' | 'country'

/** One thing of a value that filters can ask for. */
export interface FilterField {
  /** As filters name it; null for what is meant when none is named. */
  readonly name: string | null
  readonly label: string
  readonly operators: readonly string[]
  readonly operand: OperandKind
}

export interface ValueType {
  /** One value in words. */
  text(value: Value, attribute: Attribute): string
  /** The same value as it would be written. */
  input(value: Value): unknown
  /** What a written value will most likely be read as, to be shown until the service says. */
  guess(input: unknown, attribute: Attribute, entityType: EntityTypePath): Readonly<Record<string, unknown>>
  /** Says in one sentence what to enter, where a value of this type is refused. */
  readonly refusal: string
  /** How it looks where more than words are shown. */
  readonly Shown?: Component<ShownProps>
  /** Absent where nobody writes. */
  readonly Input?: Component<InputProps, object, 'input'>
  readonly fields: readonly FilterField[]
  /** Room in a table, in rem. */
  readonly width: number
}

export const TEXTUAL = ['$eq', '$contains', '$starts_with', '$ends_with', '$not_empty']
export const ORDERED = ['$eq', '$gt', '$gte', '$lt', '$lte', '$not_empty']
export const EXACT = ['$eq', '$not_empty']

/** The field that is meant when none is named. */
export const itself = (operand: OperandKind, operators: readonly string[]): FilterField => ({
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

/** Of what may be anything: text as it is, all else as JSON. */
export const asText = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given ?? null))
