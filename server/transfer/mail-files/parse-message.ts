/** Parses the headers of a message. See docs/import.md (Emails). */

import { type Address, addressParser, decodeWords } from 'postal-mime'
import type { CellProblem } from '#transfer/import/row-outcomes'
import { type EmailParticipant, normaliseAddress } from '#crm/mailboxes/email'
import { PARTICIPANT_ROLES, type ParticipantRole } from '#vocabulary/emails'
import { cleanLine } from '#base/text/csv-line'
import { sha256 } from '#base/text/sha256'
import type { Micros } from '#base/timing/clock'
import type { HeaderName, RawMessage } from './raw-message'

const MAX_SUBJECT = 2_000
const MAX_NAME = 500
const MAX_PARTICIPANTS = 500
/** Of the messages that a message refers to, the first ones and the direct parent decide about the thread. */
const MAX_REFERENCES = 100
/** The parser takes some milliseconds for a text of this length, and cannot be interrupted. */
const MAX_ADDRESS_TEXT = 16 * 1024
/** Of a message with more invalid addresses, the number is reported. */
const MAX_PROBLEMS = 100

export interface ParsedMessage {
  /** The hash of the Message-ID; without one, of the headers that say what and when. */
  readonly messageKey: string
  /** The keys of the messages that it replies to, the oldest first. */
  readonly references: readonly string[]
  /** Undefined when no header has a time. */
  readonly sentAt: Micros | undefined
  readonly subjectLine: string | null
  readonly participants: readonly EmailParticipant[]
  /** The parts of the headers that are not imported. */
  readonly problems: readonly CellProblem[]
}

/** Yields where the computation may pause. Throws for headers that cannot be parsed at all. */
export function* parseMessage(message: RawMessage, now: Micros): Generator<void, ParsedMessage> {
  const problems: CellProblem[] = []
  if (message.isCut) problems.push({ column: '', value: '', reason: 'Its headers are longer than 256 KiB.' })
  for (const name of message.cut)
    problems.push({ column: name, value: '', reason: 'The header is longer than 64 KiB. Its beginning is imported.' })
  const participants = yield* participantsOf(message, problems)
  const messageId = idsOf(message, 'message-id')[0]
  const subjectLine = cleanLine(decodedHeader(message, 'subject'), MAX_SUBJECT)
  const sentAt = findSendingTime(message, now, problems)
  return {
    messageKey: sha256(messageId ?? JSON.stringify([dateText(message) ?? sentAt ?? '', subjectLine, participants])),
    references: referencesOf(message).map((id) => sha256(id)),
    sentAt,
    subjectLine,
    participants: participants.slice(0, MAX_PARTICIPANTS),
    problems,
  }
}

function decodedHeader({ headers }: RawMessage, name: HeaderName): string | undefined {
  const value = headers.get(name)?.[0]
  return value === undefined || value === '' ? undefined : decodeWords(value)
}

/** A message is from one address: the first one of `From`, or else of `Sender`. */
function* senderOf(message: RawMessage, problems: CellProblem[]): Generator<void, Address[]> {
  const [from] = yield* addressesIn(message, 'from', problems)
  if (from !== undefined) return [from]
  return (yield* addressesIn(message, 'sender', problems)).slice(0, 1)
}

function* addressesIn({ headers }: RawMessage, name: HeaderName, problems: CellProblem[]): Generator<void, Address[]> {
  const addresses: Address[] = []
  for (const value of headers.get(name) ?? []) {
    for (const text of splitAddresses(value)) {
      if (text.length > MAX_ADDRESS_TEXT)
        problems.push({ column: name, value: excerptOf(text), reason: 'It is too long for an address.' })
      else addresses.push(...addressParser(text))
      yield
    }
  }
  return addresses
}

/** The end of an address and the comma behind it. */
const ADDRESS_END = /(?:>|@[\w.-]+)[ \t]*,/g

/** Splits a long list of addresses into texts of several addresses. */
function* splitAddresses(list: string): Generator<string> {
  let begin = 0
  let end = 0
  if (list.length > MAX_ADDRESS_TEXT)
    for (const { index, 0: match } of list.matchAll(ADDRESS_END)) {
      const next = index + match.length
      if (next - begin > MAX_ADDRESS_TEXT && end > begin) {
        yield list.slice(begin, end)
        begin = end
      }
      end = next
    }
  if (list.length - begin > MAX_ADDRESS_TEXT && end > begin) {
    yield list.slice(begin, end)
    begin = end
  }
  yield list.slice(begin)
}

function* participantsOf(message: RawMessage, problems: CellProblem[]): Generator<void, EmailParticipant[]> {
  const participants = new Map<string, EmailParticipant>()
  let invalid = 0
  const add = (role: ParticipantRole, { address, name }: NamedAddress) => {
    const normalised = normaliseAddress(address)
    const key = `${role} ${normalised}`
    if (normalised === undefined) {
      if (address === '' || ++invalid > MAX_PROBLEMS) return
      problems.push({ column: role, value: excerptOf(address), reason: 'It is not an email address.' })
    } else if (!participants.has(key)) participants.set(key, [role, normalised, nameOf(name, normalised)])
  }
  for (const role of PARTICIPANT_ROLES) {
    const addresses = yield* role === 'from' ? senderOf(message, problems) : addressesIn(message, role, problems)
    for (const address of addresses.flatMap(mailboxesOf)) {
      add(role, address)
      yield
    }
  }
  if (invalid > MAX_PROBLEMS)
    problems.push({
      column: '',
      value: '',
      reason: `${invalid} of its addresses are not email addresses; 100 are listed.`,
    })
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
function mailboxesOf(address: Address): NamedAddress[] {
  return address.group === undefined ? [{ name: address.name, address: address.address }] : [...address.group]
}

function nameOf(name: string, address: string): string | null {
  const text = cleanLine(name, MAX_NAME)
  return text?.toLowerCase() === address ? null : text
}

const MAX_EXCERPT = 200
const excerptOf = (text: string): string => cleanLine(text, MAX_EXCERPT) ?? ''

/** The messages of `References` and `In-Reply-To`, the oldest first. */
function referencesOf(message: RawMessage): string[] {
  const ids = [...new Set([...idsOf(message, 'references'), ...idsOf(message, 'in-reply-to')])]
  return ids.length > MAX_REFERENCES ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)] : ids
}

/** `<a@b> <c@d>`. A text without signs around it is one id. */
function idsOf(message: RawMessage, name: HeaderName): string[] {
  const text = decodedHeader(message, name) ?? ''
  const ids = [...text.matchAll(/<([^<>]+)>/g)].map(([, id = '']) => id.trim())
  if (ids.length > 0) return ids
  const bare = text.trim()
  return bare === '' ? [] : [bare]
}

/** Finds when a message was sent: `Date`, else the newest `Received`, else the line before it in an mbox file. */
const DAY = 86_400_000_000

/** Longer texts are no times. */
const MAX_TIME_LENGTH = 100

/** `Date` has comments, also long ones. */
const MAX_DATE_LENGTH = 1_000

/** The text of `Date`, in the form of ISO 8601 if it is a time. */
function dateText({ headers }: RawMessage): string | undefined {
  const text = headers.get('date')?.[0]
  if (text === undefined || text.length > MAX_DATE_LENGTH) return text
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? text : new Date(millis).toISOString()
}

/** Reports a `Date` that is not used. A time of a later day than today's is wrong. */
function findSendingTime(message: RawMessage, now: Micros, problems: CellProblem[]): Micros | undefined {
  const isPossible = (at: Micros | undefined) => at !== undefined && at >= 0 && at <= now + DAY
  const date = dateText(message)
  const sent = parseTime(date)
  if (isPossible(sent)) return sent
  const { headers, separator } = message
  const received = headers.get('received')?.[0]
  const others = [received?.slice(received.lastIndexOf(';') + 1), separator && timeOfSeparator(separator)]
  const found = others.map(parseTime).find(isPossible)
  if (date !== undefined && found !== undefined)
    problems.push({
      column: 'Date',
      value: date.slice(0, MAX_TIME_LENGTH),
      reason: 'It is not a time in the past. The time of the delivery is imported.',
    })
  return found
}

function parseTime(text: string | undefined): Micros | undefined {
  if (text === undefined || text.length > MAX_TIME_LENGTH) return undefined
  const millis = Date.parse(text.trim())
  return Number.isNaN(millis) ? undefined : millis * 1000
}

/** `From ada@relata.dev Fri Jul  8 12:08:34 2011`, in UTC. Some programs write an offset before the year. */
function timeOfSeparator(separator: string): string | undefined {
  const [, month, day, time, offset = '+0000', year] =
    /\b([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d)(?: ([+-]\d{4}))? (\d{4})\b/.exec(separator) ?? []
  return month === undefined ? undefined : `${day} ${month} ${year} ${time} ${offset}`
}
