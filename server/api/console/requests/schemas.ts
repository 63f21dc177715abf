/** The recent requests of API keys and apps. */

import { type Static, Type } from 'typebox'
import { listOf, nullable, Timestamp } from '#api/console/schemas'

const RecentRequest = Type.Object({
  id: Type.String(),
  /** The name of the app or the API key; null when the app was deleted. */
  client_name: nullable(Type.String()),
  method: Type.String(),
  /** With the names of its parameters in place of their values. */
  path: Type.String(),
  status: Type.Integer(),
  /** Of an error. */
  code: nullable(Type.String()),
  /** The unknown members and parameters, as the header Relata-Ignored names them. */
  ignored: nullable(Type.String()),
  duration_ms: Type.Integer(),
  created_at: Timestamp,
})
export type RecentRequest = Static<typeof RecentRequest>

export const RecentRequestsAnswer = listOf(RecentRequest)
