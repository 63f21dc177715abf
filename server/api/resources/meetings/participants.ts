/** Parses the participants of a body. See docs/reference/meetings.md (Participants). */

import { readAddress } from '#engine/attribute-types/email-address'
import type { ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import type { Participant } from './meeting'
import type { ParticipantInput } from './schemas'

/** Of participants with the same address, the first one counts. Throws 400 for one without address and name, and for an invalid address. */
export function parseParticipants(inputs: readonly ParticipantInput[]): Participant[] {
  const issues: ValidationIssue[] = []
  const parsed = inputs.map((input, index): Participant => {
    const { email_address, name = null, is_organizer, status } = input
    const path = ['data', 'participants', index]
    const emailAddress = email_address === undefined ? undefined : readAddress(email_address)?.email_address
    if (email_address === undefined ? name === null : emailAddress === undefined) issues.push(issueOf(input, path))
    return { emailAddress: emailAddress ?? null, name, isOrganizer: String(is_organizer) === 'true', status }
  })
  if (issues.length > 0) throw invalidBody(issues)
  const addresses = new Set<string>()
  return parsed.filter(({ emailAddress }) => {
    if (emailAddress === null) return true
    const isFirst = !addresses.has(emailAddress)
    addresses.add(emailAddress)
    return isFirst
  })
}

function issueOf({ email_address }: ParticipantInput, path: ValidationIssue['path']): ValidationIssue {
  const at = [...path, 'email_address']
  return email_address === undefined
    ? { code: 'invalid_type', path: at, message: 'Required', expected: 'string', received: 'undefined' }
    : { code: 'invalid_string', path: at, message: 'Invalid email address', string_validation: 'email' }
}
