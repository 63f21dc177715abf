/** The body of a request that creates or renames a team. */

import { type Static, Type } from 'typebox'
import { Name } from '#api/console/schemas'

export const TeamBody = Type.Object({ name: Name })
export type TeamBody = Static<typeof TeamBody>
