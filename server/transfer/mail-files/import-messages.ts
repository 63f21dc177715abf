/**
 * Imports the metadata of messages into the mailbox of a member. Importing a message again changes nothing. Memory does not
 * depend on the number of messages. See docs/import.md (Emails); docs/decisions/mail-and-calendar-files.md.
 */

import type { RequestContext } from '#context'
import type { Sql, Transaction } from '#db/connect'
import type { RowProblem } from '#transfer/import/row-outcomes'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { logError } from '#base/logging/log-error'
import { findThreads, insertEmails, type Mailbox, type NewEmail } from '#crm/mailboxes/insert-emails'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { inSlices, isSliceOver, nextTurn } from '#base/timing/in-slices'
import { type ParsedMessage, parseMessage } from './parse-message'
import type { RawMessage } from './raw-message'

export interface MailImport {
  readonly context: Pick<RequestContext, 'db' | 'model' | 'now'>
  readonly mailbox: Mailbox
  /** The addresses of the member. A message from one of them is outbound. */
  readonly ownAddresses: ReadonlySet<string>
}

export interface MessageCounts {
  readonly read: number
  readonly created: number
  /** Messages that the mailbox had before, or that the files repeat. */
  readonly repeated: number
  readonly skipped: number
}

export interface MessageListener {
  /** Called after each batch. */
  onProgress(counts: MessageCounts): void
  /** Called for each message that was skipped and each part of headers that was left out. */
  onProblem(problem: RowProblem): void | Promise<void>
}

/** A batch is written with so many messages, or with so many participants and references. Its statement is made without a pause. */
const BATCH_SIZE = 500
const BATCH_WEIGHT = 5_000

export async function importMessages(
  run: MailImport,
  messages: AsyncIterable<readonly RawMessage[]>,
  listener: MessageListener,
): Promise<MessageCounts> {
  let counts: MessageCounts = { read: 0, created: 0, repeated: 0, skipped: 0 }
  let batch: Batch = { read: 0, weight: 0, messages: [] }
  const write = async () => {
    counts = addCounts(counts, await writeBatch(run, batch))
    batch = { read: 0, weight: 0, messages: [] }
    listener.onProgress(counts)
  }
  for await (const some of messages) {
    for (const raw of some) {
      await addTo(batch, run, raw, listener)
      if (batch.read === BATCH_SIZE || batch.weight >= BATCH_WEIGHT) await write()
      if (isSliceOver()) await nextTurn()
    }
  }
  if (batch.read > 0) await write()
  return counts
}

const addCounts = (a: MessageCounts, b: MessageCounts): MessageCounts => ({
  read: a.read + b.read,
  created: a.created + b.created,
  repeated: a.repeated + b.repeated,
  skipped: a.skipped + b.skipped,
})

interface Batch {
  /** Counts the skipped messages, too. */
  read: number
  weight: number
  readonly messages: DatedMessage[]
}

async function addTo(batch: Batch, run: MailImport, raw: RawMessage, { onProblem }: MessageListener): Promise<void> {
  const { message, problems } = await parseReporting(raw, run.context.now())
  for (const problem of problems)
    await onProblem({ ...problem, line: raw.line, reason: reasonIn(raw.file, problem.reason) })
  batch.read++
  if (message === undefined) return
  batch.weight += message.participants.length + message.references.length
  batch.messages.push(message)
}

async function writeBatch(run: MailImport, { read, messages }: Batch): Promise<MessageCounts> {
  const skipped = read - messages.length
  if (messages.length === 0) return { read, created: 0, repeated: 0, skipped }
  const created = await storeMessages(run.context.db.sql, run, messages)
  return { read, created, repeated: messages.length - created, skipped }
}

/** Stores messages that the mailbox does not have, and returns how many these were. The interaction attributes of all participants follow. */
export async function storeMessages(
  on: Sql | Transaction,
  run: MailImport,
  messages: readonly DatedMessage[],
): Promise<number> {
  const emails = await toEmails(on, run, messages)
  const created = await insertEmails(on, run.mailbox, emails)
  const { model, now } = run.context
  // Also for messages that were there: an earlier import may have ended before this line.
  await requestRefreshesFor(on, model, addressesOf(emails), now())
  return created
}

const reasonIn = (file: string | undefined, reason: string): string =>
  file === undefined ? reason : `${file}: ${reason}`

const addressesOf = (emails: readonly NewEmail[]): string[] => [
  ...new Set(emails.flatMap(({ participants }) => participants.map(([, address]) => address))),
]

export type DatedMessage = ParsedMessage & { readonly sentAt: number }

interface ParseResult {
  readonly message: DatedMessage | undefined
  readonly problems: readonly Omit<RowProblem, 'line'>[]
}

/** The message of a result is undefined when it must be skipped. */
export async function parseReporting(raw: RawMessage, now: Micros): Promise<ParseResult> {
  try {
    const message = await inSlices(parseMessage(raw, now))
    const { sentAt } = message
    if (message.participants.length === 0) return skipped('It has no sender and no recipient with an email address.')
    if (sentAt === undefined) return skipped('No header says when it was sent.')
    return {
      message: { ...message, sentAt },
      problems: message.problems.map((problem) => ({ outcome: 'left out', ...problem })),
    }
  } catch (error) {
    logError('The headers of a message could not be parsed.', error)
    return skipped('Its headers cannot be parsed.')
  }
}

const skipped = (reason: string): ParseResult => ({
  message: undefined,
  problems: [{ outcome: 'skipped', column: '', value: '', reason }],
})

/** A message belongs to the thread of the oldest message that it refers to and that is known, else it begins one. */
async function toEmails(
  on: Sql | Transaction,
  { mailbox, ownAddresses }: Pick<MailImport, 'mailbox' | 'ownAddresses'>,
  messages: readonly DatedMessage[],
) {
  const referred = [...new Set(messages.flatMap(({ references }) => references))]
  const threads = new Map(await findThreads(on, mailbox, referred))
  return messages.map(({ messageKey, references, sentAt, subjectLine, participants }): NewEmail => {
    const parent = references.find((key) => threads.has(key))
    const threadKey = (parent && threads.get(parent)) ?? references[0] ?? messageKey
    threads.set(messageKey, threadKey)
    const isOwn = participants.some(([role, address]) => role === 'from' && ownAddresses.has(address))
    const direction = isOwn ? 'outbound' : 'inbound'
    return { messageKey, threadKey, sentAt: timestampFromMicros(sentAt), direction, subjectLine, participants }
  })
}
