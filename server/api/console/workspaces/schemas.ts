/** The bodies of requests that create or update a workspace. */

import { type Static, Type } from 'typebox'
import { COUNTRY_CODES } from '#vocabulary/countries'
import { SHOWN_WITH_RECORDS } from '#vocabulary/data-model'
import { ALL_PERMISSIONS, type Permission } from '#vocabulary/roles'
import { Name, answerOf, nullable } from '#api/console/schemas'
import { SessionWorkspace } from '#api/console/session/schemas'

const Slug = Type.String({ maxLength: 60, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' })

export const WorkspaceBody = Type.Object({ name: Name, slug: Slug })
export type WorkspaceBody = Static<typeof WorkspaceBody>

const ShownObjects = Type.Array(Type.Enum([...SHOWN_WITH_RECORDS]), {
  maxItems: SHOWN_WITH_RECORDS.length,
  uniqueItems: true,
})

export const WorkspaceChangeBody = Type.Partial(
  Type.Object({
    name: Name,
    slug: Slug,
    logo_url: Type.Union([Type.String({ maxLength: 2000, pattern: '^https://[^\\s"\'<>]+$' }), Type.Null()]),
    creates_contacts: Type.Boolean(),
    stores_email_texts: Type.Boolean(),
    fetches_pictures: Type.Boolean(),
    fetches_company_logos: Type.Boolean(),
    shown_objects: ShownObjects,
    default_country: Type.Union([Type.Enum([...COUNTRY_CODES]), Type.Null()]),
    member_permissions: Type.Array(
      Type.Unsafe<Permission>(Type.Union(ALL_PERMISSIONS.map((permission) => Type.Literal(permission)))),
      {
        maxItems: ALL_PERMISSIONS.length,
        uniqueItems: true,
      },
    ),
  }),
)
export type WorkspaceChangeBody = Static<typeof WorkspaceChangeBody>

export const WorkspaceOutput = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo_url: nullable(Type.String()),
  /** Whether the service creates people of participants, and companies of email domains. */
  creates_contacts: Type.Boolean(),
  /** Whether the service stores the texts of emails that connected accounts have. */
  stores_email_texts: Type.Boolean(),
  /** Whether the service fetches pictures of records from URLs in their values, and logos of companies from their domains. */
  fetches_pictures: Type.Boolean(),
  fetches_company_logos: Type.Boolean(),
  /** The objects that the navigation has before they have records. */
  shown_objects: Type.Array(Type.Enum([...SHOWN_WITH_RECORDS])),
  /** What members who are no admins may do as well. */
  member_permissions: Type.Array(Type.Enum(ALL_PERMISSIONS)),
  /** The country whose national form phone numbers may have. */
  default_country: nullable(Type.String()),
})
export type WorkspaceOutput = Static<typeof WorkspaceOutput>

export const WorkspaceAnswer = answerOf(WorkspaceOutput)

/** The name confirms the deletion. */
export const WorkspaceDeletionBody = Type.Object({ name: Type.String({ maxLength: 255 }) })

export const WorkspaceDeletionAnswer = answerOf(
  Type.Object({
    /** Until then, an admin can restore it. */
    removed_at: Type.String(),
  }),
)
export type WorkspaceDeletionAnswer = Static<typeof WorkspaceDeletionAnswer>

/** As in the session. */
export const NewWorkspaceAnswer = answerOf(SessionWorkspace)
export type NewWorkspaceAnswer = Static<typeof NewWorkspaceAnswer>
