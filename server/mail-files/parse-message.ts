/** Parses the headers of a message. See docs/import.md (Emails). */

import { isUtf8 } from 'node:buffer'
import PostalMime, { type Address, type Email } from 'postal-mime'
import type { CellProblem } from '../import/problems/row-problem'
import { normaliseAddress } from '../mailboxes/addresses'
import type { Participant, ParticipantRole } from '../mailboxes/email'
import { cleanLine } from '../text/clean-line'
import { sha256 } from '../text/sha256'
import type { Micros } from '../timing/clock'
import { findSendingTime } from './sending-time'
import type { RawMessage } from './raw-message'

const MAX_SUBJECT = 2_000
const MAX_NAME = 500
const MAX_PARTICIPANTS = 500
/** Of the messages that a message refers to, the first ones and the direct parent decide about the thread. */
const MAX_REFERENCES = 100

export interface ParsedMessage {
  /** The hash of the Message-ID; without one, of the headers that say what and when. */
  readonly messageKey: string
  /** The keys of the messages that it replies to, the oldest first. */
  readonly references: readonly string[]
  /** Undefined when no header has a time. */
  readonly sentAt: Micros | undefined
  readonly subjectLine: string | null
  readonly participants: readonly Participant[]
  /** The parts of the headers that are not imported. */
  readonly problems: readonly CellProblem[]
}

/** Throws for headers that cannot be parsed at all. */
export async function parseMessage(message: RawMessage, now: Micros): Promise<ParsedMessage> {
  const email = await PostalMime.parse(`${textOf(message.headers)}\r\n\r\n`)
  const problems: CellProblem[] = []
  if (message.isCut) problems.push({ column: '', value: '', reason: 'Its headers are longer than 256 KiB.' })
  const participants = participantsOf(email, problems)
  const messageId = idsOf(email.messageId)[0]
  const subjectLine = cleanLine(email.subject, MAX_SUBJECT)
  const sentAt = findSendingTime(email, message.separator, now, problems)
  return {
    messageKey: sha256(messageId ?? JSON.stringify([email.date ?? sentAt ?? '', subjectLine, participants])),
    references: referencesOf(email).map((id) => sha256(id)),
    sentAt,
    subjectLine,
    participants: participants.slice(0, MAX_PARTICIPANTS),
    problems,
  }
}

/** Headers that are not UTF-8 are taken for the encoding that most such headers have. */
function textOf(headers: Uint8Array): string {
  return new TextDecoder(isUtf8(headers) ? 'utf-8' : 'windows-1252').decode(headers)
}

function participantsOf(email: Email, problems: CellProblem[]): Participant[] {
  const from = mailboxesOf(email.from ?? email.sender)
  const all: readonly (readonly [ParticipantRole, Address[]])[] = [
    ['from', from],
    ['reply-to', email.replyTo ?? []],
    ['to', email.to ?? []],
    ['cc', email.cc ?? []],
    ['bcc', email.bcc ?? []],
  ]
  const participants = new Map<string, Participant>()
  for (const [role, addresses] of all) {
    for (const { address, name } of addresses.flatMap(mailboxesOf)) {
      const normalised = normaliseAddress(address)
      if (normalised !== undefined) {
        const key = `${role} ${normalised}`
        if (!participants.has(key)) participants.set(key, [role, normalised, nameOf(name, normalised)])
      } else if (address !== '')
        problems.push({ column: role, value: excerptOf(address), reason: 'It is not an email address.' })
    }
  }
  if (participants.size > MAX_PARTICIPANTS)
    problems.push({
      column: '',
      value: '',
      reason: `It has ${participants.size} participants; the first 500 are imported.`,
    })
  return [...participants.values()]
}

interface NamedAddress {
  readonly name: string
  readonly address: string
}

/** The addresses of a group stand for the group. */
function mailboxesOf(address: Address | undefined): NamedAddress[] {
  if (address === undefined) return []
  return address.group === undefined ? [{ name: address.name, address: address.address }] : [...address.group]
}

function nameOf(name: string, address: string): string | null {
  const text = cleanLine(name, MAX_NAME)
  return text?.toLowerCase() === address ? null : text
}

const MAX_EXCERPT = 200
const excerptOf = (text: string): string => cleanLine(text, MAX_EXCERPT) ?? ''

/** The messages of `References` and `In-Reply-To`, the oldest first. */
function referencesOf({ references, inReplyTo }: Email): string[] {
  const ids = [...new Set([...idsOf(references), ...idsOf(inReplyTo)])]
  return ids.length > MAX_REFERENCES ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)] : ids
}

/** `<a@b> <c@d>`. A text without signs around it is one id. */
function idsOf(text: string | undefined): string[] {
  const ids = [...(text ?? '').matchAll(/<([^<>]+)>/g)].map(([, id = '']) => id.trim())
  if (ids.length > 0) return ids
  const bare = (text ?? '').trim()
  return bare === '' ? [] : [bare]
}
