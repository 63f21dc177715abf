/** A resolved filter: conditions on the attributes of a workspace, with typed operands. */

import type { ColumnProperty, NumbersProperty, Operator, Property, Scalar } from '#engine/attribute-types/define'
import type { Attribute, RecordType } from '#engine/data-model/model'

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | ValueCondition
  | ReferenceCondition

/** Holds when one value of the attribute meets all comparisons. */
export interface ValueCondition {
  readonly kind: 'value'
  readonly attribute: Attribute
  readonly comparisons: readonly Comparison[]
}

/** Holds when the attribute refers to a record of the target that meets the condition. */
export interface ReferenceCondition {
  readonly kind: 'reference'
  readonly step: Step
  readonly condition: Condition
}

/** One step of a path: a reference, and the object of the records that it leads to. */
export interface Step {
  readonly attribute: Attribute
  readonly target: RecordType
}

/** A scalar, or a scalar with a remainder that decides between equal ones. */
export type Operand = Scalar | readonly [Scalar, Scalar]

export type Comparison =
  /** `property` is null for the presence of any member. */
  | { readonly kind: 'present'; readonly property: Property | null }
  | {
      readonly kind: 'compare'
      readonly property: ColumnProperty
      readonly operator: Operator
      readonly operand: Operand
    }
  | { readonly kind: 'in'; readonly property: ColumnProperty; readonly operands: readonly Operand[] }
  | { readonly kind: 'numbers'; readonly property: NumbersProperty; readonly numbers: readonly number[] }
  | { readonly kind: 'since'; readonly operator: Operator; readonly instant: string }
