/** Parses participants, linked records and the external reference of a meeting. See docs/reference/meetings.md. */

import { readAddress } from '#engine/attribute-types/email-address'
import { InvalidValue, type ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import type { MeetingLink, MeetingTimes, Participant } from './meeting'
import type { ExternalRef, LinkedRecordInput, ParticipantInput } from './meeting-input'
import type { Transaction } from '#db/connect'
import { getTargetId } from '#engine/attribute-types/formats/references'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { unknownRecord } from '#base/errors/records'
import { lockExistingRecords } from '#engine/storage/read-entities'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { sha256 } from '#base/text/sha256'

/** The address of a participant. The address of a member is one, also on a host that is not public, such as `admin@relata.local`. */
export function readParticipantAddress(
  { membersByEmail }: Pick<DataModel, 'membersByEmail'>,
  text: string,
): string | undefined {
  const lower = text.trim().toLowerCase()
  return readAddress(text)?.email_address ?? (membersByEmail.has(lower) ? lower : undefined)
}

/** Of participants with the same address, the first one counts. Throws 400 for one without address and name, and for an invalid address. */
export function parseParticipants(
  model: Pick<DataModel, 'membersByEmail'>,
  inputs: readonly ParticipantInput[],
): Participant[] {
  const issues: ValidationIssue[] = []
  const parsed = inputs.map((input, index): Participant => {
    const { email_address, name = null, is_organizer, status } = input
    const path = ['data', 'participants', index]
    const emailAddress = email_address === undefined ? undefined : readParticipantAddress(model, email_address)
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

// Finds the records that the body of a meeting names. See docs/reference/meetings.md (Linked records).

/** What names a linked record. */
export type LinkedRecord = Pick<MeetingLink, 'objectId' | 'recordId'>

/** Each record once. Throws 400 for an unknown or disabled object. */
export function parseLinkedRecords(model: DataModel, inputs: readonly LinkedRecordInput[]): MeetingLink[] {
  const links = inputs.map(({ object, record_id }) => ({
    objectId: getTargetId(model, object),
    recordId: record_id.toLowerCase(),
    isGiven: true,
  }))
  return [...new Map(links.map((link) => [link.recordId, link])).values()]
}

/** Locks the records against their deletion. Throws 400 for a record that does not exist. */
export async function lockLinkedRecords(
  tx: Transaction,
  model: DataModel,
  links: readonly LinkedRecord[],
): Promise<void> {
  for (const [objectId, ofObject] of Map.groupBy(links, ({ objectId }) => objectId)) {
    const object = model.entityTypesById.get(objectId) as ObjectType // `getTargetId` found it in this model
    const ids = ofObject.map(({ recordId }) => recordId)
    const existing = await lockExistingRecords(tx, object, ids)
    const missing = ids.find((id) => !existing.has(id))
    if (missing !== undefined) throw unknownRecord(object.api_slug, missing)
  }
}

// The key by which a creation finds an earlier one. See docs/reference/meetings.md (Find or create).

/**
 * An occurrence of a recurring meeting is identified by its original start, which is its start if none is given. Throws 400
 * for an original start that is no timestamp.
 */
export function externalKeyOf(ref: ExternalRef, times: MeetingTimes): string {
  if (typeof ref === 'string') return sha256(JSON.stringify(['text', ref]))
  const { ical_uid, is_recurring, original_start_time } = ref
  if (!is_recurring) return sha256(JSON.stringify(['ical', ical_uid]))
  const start = original_start_time ?? new Date(times.startsAt).toISOString()
  return sha256(JSON.stringify(['ical', ical_uid, parseOriginalStart(start)]))
}

function parseOriginalStart(text: string): string {
  try {
    return parseInstant(text, ['data', 'external_ref', 'original_start_time']).value
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidBody(error.issues)
    throw error
  }
}
