/** The schemas of the indexes at the console. */

import { type Static, Type } from 'typebox'

export const SteerBody = Type.Object({
  action: Type.Enum(['keep', 'rebuild', 'drop'], {
    description: 'Keep it even if it is rarely used, build it again, or drop it and build it for no query.',
  }),
})
export type SteerAction = Static<typeof SteerBody>['action']

export interface IndexOutput {
  readonly name: string
  readonly object: string
  readonly attributes: readonly string[]
  readonly kind: string
  readonly state: 'wanted' | 'building' | 'ready' | 'failed' | 'refused'
  readonly is_pinned: boolean
  readonly size: string | null
  readonly scans: number | null
  readonly requests: number
  /** Queries that requested the index, without their operands. */
  readonly requested_by: readonly string[]
  readonly last_used_at: string | null
  readonly build_ms: number | null
  readonly error: string | null
}
