/** Wire shapes of unsubscribed addresses. See docs/reference/emails.md (Unsubscribed addresses). */

import { type Static, Type } from 'typebox'

/** Longer texts are no email addresses. */
const MAX_TEXT = 1_000

export const UnsubscribedInput = Type.Object({
  email_addresses: Type.Array(Type.String({ maxLength: MAX_TEXT }), { maxItems: 1_000 }),
})
export type UnsubscribedInput = Static<typeof UnsubscribedInput>

export const UnsubscribedBody = Type.Object({ data: UnsubscribedInput })

const UnsubscribedEmail = Type.Object({
  email_address: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
})
export type UnsubscribedEmail = Static<typeof UnsubscribedEmail>

export const UnsubscribedAnswer = Type.Object({ data: Type.Array(UnsubscribedEmail) })
