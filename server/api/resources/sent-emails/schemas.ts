/** Wire shapes of emails that members send. See docs/reference/sending-email.md. */

import { type Static, Type } from 'typebox'

const STRICT = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])

/** The limit of RFC 5321. */
const MAX_ADDRESS = 320
export const MAX_RECIPIENTS = 50
export const MAX_ATTACHMENTS = 20
const MAX_LINKED = 10
const MAX_SUBJECT = 500
const MAX_TEXT = 200_000
const MAX_HTML = 500_000

const Addresses = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: MAX_ADDRESS }), { maxItems: MAX_RECIPIENTS, description }))

/** A single line. */
export const Subject = Type.String({ minLength: 1, maxLength: MAX_SUBJECT, pattern: '^[^\\x00-\\x1f\\x7f]+$' })
export const Text = Type.String({ minLength: 1, maxLength: MAX_TEXT })

const EmailInput = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        maxLength: MAX_ADDRESS,
        description: 'The address of a connected account of the member. By default, the one that was connected first.',
      }),
    ),
    to: Addresses('Email addresses. To, cc and bcc have at most 50 together.'),
    cc: Addresses('Further recipients, whom all see.'),
    bcc: Addresses('Further recipients, whom the others do not see.'),
    subject: Type.Optional(
      Type.String({
        ...Subject,
        description: 'Required, except for a reply, which has the subject of the email by default.',
      }),
    ),
    text: Type.Optional(Type.String({ ...Text, description: 'The email as text. Required without a template.' })),
    template_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'The template that gives the subject and the text, unless these are given, and the link for unsubscribing.',
      }),
    ),
    record_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'The record whose values replace the variables of the template.' }),
    ),
    html: Type.Optional(
      Type.String({ maxLength: MAX_HTML, description: 'The email as HTML, for programs that show HTML.' }),
    ),
    reply_to_email_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The email that this one answers. It is in the mailbox of the account.',
      }),
    ),
    linked_records: Type.Optional(
      Type.Array(Type.Object({ object: Type.String({ maxLength: 1_000 }), record_id: Uuid }), {
        maxItems: MAX_LINKED,
        description: 'The records from which the email is sent. It is listed with them.',
      }),
    ),
    attachment_file_ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: MAX_ATTACHMENTS,
        description: 'Files of records, with 20 MB together.',
      }),
    ),
  },
  STRICT,
)
export type EmailInput = Static<typeof EmailInput>

export const SendEmailBody = Type.Object({ data: EmailInput }, STRICT)

export const STATES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const

const Recipient = Type.Object({
  role: Type.Enum(['to', 'cc', 'bcc']),
  email_address: Type.String(),
  refusal: nullable(Type.String({ description: 'What the server said when it refused the recipient.' })),
})

export const SentEmailOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, sent_email_id: Uuid }),
  state: Type.Enum([...STATES]),
  message_id: Type.String({ description: 'The Message-ID, without its signs.' }),
  from: Type.String(),
  recipients: Type.Array(Recipient),
  subject: Type.String(),
  text: nullable(Type.String({ description: 'Null once the email was sent: contents are not kept.' })),
  html: nullable(Type.String()),
  attachments: Type.Array(
    Type.Object({ file_id: Uuid, name: nullable(Type.String()), content_size: nullable(Type.Integer()) }),
  ),
  is_reply: Type.Boolean(),
  linked_records: Type.Array(
    Type.Object(
      { object_slug: Type.String(), object_id: Uuid, record_id: Uuid },
      { description: 'A record from which the email is sent.' },
    ),
  ),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String(), answer: nullable(Type.String()) })),
  next_attempt_at: nullable(Type.String({ format: 'date-time' })),
  created_at: Type.String({ format: 'date-time' }),
  sent_at: nullable(Type.String({ format: 'date-time' })),
})
export type SentEmailOutput = Static<typeof SentEmailOutput>

export const SentEmailAnswer = Type.Object({ data: SentEmailOutput })
export const SentEmailsAnswer = Type.Object({
  data: Type.Array(SentEmailOutput),
  pagination: Type.Object({ next_cursor: nullable(Type.String()) }),
})

export const SentEmailsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 25 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
  state: Type.Optional(Type.Enum([...STATES], { description: 'Only emails in this state.' })),
})
export type SentEmailsQuery = Static<typeof SentEmailsQuery>
