/** The bodies of requests that create or update a workspace. */

import { type Static, Type } from 'typebox'
import { Name } from '../schemas'

const Slug = Type.String({ maxLength: 60, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' })

export const WorkspaceBody = Type.Object({ name: Name, slug: Slug })
export type WorkspaceBody = Static<typeof WorkspaceBody>

export const WorkspaceChangeBody = Type.Partial(
  Type.Object({
    name: Name,
    slug: Slug,
    logo_url: Type.Union([Type.String({ maxLength: 2000, pattern: '^https://[^\\s"\'<>]+$' }), Type.Null()]),
    creates_contacts: Type.Boolean(),
  }),
)
export type WorkspaceChangeBody = Static<typeof WorkspaceChangeBody>
