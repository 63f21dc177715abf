/** The form of a record or an entry in an exported workspace. See docs/export-format.md (Records and entries). */

import type { Scalar } from '#engine/attribute-types/define'

/** An active value. The values that have ended are rows of the history. */
export interface DumpedValue {
  readonly active_from: string
  readonly active_until: null
  /** The number of the actor. */
  readonly actor: number
  /** Present when the value was written from the other side of its relationship. */
  readonly mirrored?: true
  /** The place on the derived side of the relationship, where it differs from the order of `active_from`. */
  readonly rank?: number
  /** The stored members, which the attribute type defines. */
  readonly value: Readonly<Record<string, Scalar>>
}

export interface DumpedEntity {
  readonly id: string
  readonly created_at: string
  readonly created_by: number
  readonly updated_at: string
  readonly updated_by: number
  readonly version: number
  /** How many of the versions are refreshes of computed attributes. */
  readonly refreshes: number
  /** The number of the object. Only of an entry. */
  readonly parent_object?: number
  /** Only of an entry. */
  readonly parent_record_id?: string
  /** By the slug of the attribute, in stored order. Attributes without a value are absent. */
  readonly values: Readonly<Record<string, readonly DumpedValue[]>>
}
