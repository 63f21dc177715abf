/** Waits for what becomes of an email that was queued, which takes a second or two. */

import { ApiError } from '../../api/errors'
import { deleteSentEmail, getSentEmail, idOfSentEmail, type SentEmail } from '../../api/emails/sent-emails'

const CHECK_MS = 300
/** Some servers check an email for a while. */
const PATIENCE_MS = 20_000

/** Returns a sentence about it. Throws when it was not sent; the email is deleted then, because its text is still in the dialog. */
export async function awaitOutcome(queued: SentEmail): Promise<string> {
  const id = idOfSentEmail(queued)
  let email = queued
  for (const begun = performance.now(); isOpen(email) && performance.now() - begun < PATIENCE_MS;) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS))
    email = await getSentEmail(id)
  }
  if (email.state === 'failed') {
    await deleteSentEmail(id)
    throw new ApiError(400, email.error?.code ?? 'failed', sentenceOf(email))
  }
  if (email.state === 'sent') return refusedText(email) ?? 'Email sent'
  if (email.state === 'unknown')
    return 'The server did not confirm the email. See Settings, Email and calendar accounts.'
  return email.error === null ? 'Email queued' : `Not sent yet, tried again later. ${sentenceOf(email)}`
}

/** A queued email with an error is tried again later. */
const isOpen = ({ state, error }: SentEmail): boolean => state === 'sending' || (state === 'queued' && error === null)

export function sentenceOf({ error }: SentEmail): string {
  if (error === null) return ''
  return error.answer === null ? error.message : `${error.message} It said: ${error.answer}`
}

function refusedText({ recipients }: SentEmail): string | undefined {
  const refused = recipients.filter(({ refusal }) => refusal !== null).map(({ email_address }) => email_address)
  return refused.length === 0 ? undefined : `Email sent, but the server refused ${refused.join(', ')}`
}
