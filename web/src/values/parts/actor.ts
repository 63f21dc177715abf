/** The actor that a value refers to. */

import type { Actor, Value } from '../../api/records/entities'

const textOrNull = (given: unknown): string | null => (typeof given === 'string' ? given : null)

export const actorIn = ({ referenced_actor_type: type, referenced_actor_id: id }: Value): Actor => ({
  type: textOrNull(type),
  id: textOrNull(id),
})
