/** Wire shapes of emails. See docs/reference/emails.md (Members, Filters). */

import { type Static, Type } from 'typebox'
import { PARTICIPANT_ROLES } from '#vocabulary/emails'

const Uuid = Type.String({ format: 'uuid' })

/** The limit of a parameter that lists ids or addresses. */
const MAX_LIST = 16_000
const MAX_DOMAIN = 1_000
const MAX_CURSOR = 1_000
const MAX_TIMESTAMP = 100

const Participant = Type.Object({
  role: Type.Enum([...PARTICIPANT_ROLES]),
  email_address: Type.String(),
  email_domain: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
})

export const EmailOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, mailbox_id: Uuid, email_id: Uuid }),
  sent_at: Type.String({ format: 'date-time' }),
  direction: Type.Enum(['inbound', 'outbound']),
  subject_line: Type.Union([Type.String(), Type.Null()]),
  participants: Type.Array(Participant),
  linked_records: Type.Array(Type.Object({ object_slug: Type.String(), object_id: Uuid, record_id: Uuid })),
})
export type EmailOutput = Static<typeof EmailOutput>

/** An email with its text. Null: none is stored, or the caller does not see it. */
const EmailWithText = Type.Object({
  ...EmailOutput.properties,
  text: Type.Union([Type.String(), Type.Null()]),
  is_text_cut: Type.Boolean({ description: 'Whether the email says more than `text`.' }),
  attachments: Type.Array(
    Type.Object({
      name: Type.Union([Type.String(), Type.Null()]),
      content_type: Type.String(),
      size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'In bytes, about.' }),
    }),
  ),
})
export type EmailWithText = Static<typeof EmailWithText>

export const EmailAnswer = Type.Object({ data: EmailWithText })

export const EmailsAnswer = Type.Object({
  data: Type.Array(EmailOutput),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})

const Bound = (description: string) => Type.Optional(Type.String({ maxLength: MAX_TIMESTAMP, description }))

export const EmailsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 25 })),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
  linked_object: Type.Optional(
    Type.String({ maxLength: MAX_DOMAIN, description: 'The slug or the id of the object.' }),
  ),
  linked_record_ids: Type.Optional(
    Type.String({ maxLength: MAX_LIST, description: 'At most 10 ids of records of that object, separated by commas.' }),
  ),
  participants: Type.Optional(
    Type.String({ maxLength: MAX_LIST, description: 'At most 10 email addresses, separated by commas.' }),
  ),
  domain: Type.Optional(Type.String({ maxLength: MAX_DOMAIN, description: 'The domain of a participant.' })),
  exclude_automated_participants: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Only emails with a person outside the workspace among the participants.',
    }),
  ),
  sent_after: Bound('Only emails sent after this time.'),
  sent_before: Bound('Only emails sent before this time.'),
})
export type EmailsQuery = Static<typeof EmailsQuery>
