/** The schemas of the indexes at the console. */

import { type Static, Type } from 'typebox'
import { listOf, nullable, readonlyArray, Timestamp } from '#api/console/schemas'

export const SteerBody = Type.Object({
  action: Type.Enum(['keep', 'rebuild', 'drop'], {
    description: 'Keep it even if it is rarely used, build it again, or drop it and build it for no query.',
  }),
})
export type SteerAction = Static<typeof SteerBody>['action']

const IndexOutput = Type.Object({
  name: Type.String(),
  object: Type.String(),
  attributes: readonlyArray(Type.String()),
  kind: Type.String(),
  state: Type.Enum(['wanted', 'building', 'ready', 'failed', 'refused']),
  is_pinned: Type.Boolean(),
  size: nullable(Type.String()),
  scans: nullable(Type.Integer()),
  requests: Type.Integer(),
  /** Queries that requested the index, without their operands. */
  requested_by: readonlyArray(Type.String()),
  last_used_at: nullable(Timestamp),
  build_ms: nullable(Type.Integer()),
  error: nullable(Type.String()),
})
export type IndexOutput = Static<typeof IndexOutput>

export const IndexesAnswer = listOf(IndexOutput)
