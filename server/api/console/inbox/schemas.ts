/** The queries and bodies of the inbox. See docs/reference/inbox.md (Requests of the console). */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })

export const InboxQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  cursor: Type.Optional(Uuid),
  unread: Type.Optional(Type.Boolean({ default: false })),
  time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})
export type InboxQuery = Static<typeof InboxQuery>

export const ReadAllBody = Type.Object({ up_to: Type.Optional(Uuid) })
export type ReadAllBody = Static<typeof ReadAllBody>

export const InboxSettingsBody = Type.Object({ email_digest: Type.Boolean() })
export type InboxSettingsBody = Static<typeof InboxSettingsBody>
