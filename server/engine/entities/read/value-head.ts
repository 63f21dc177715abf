/** The members that every value begins with: since and until when it is active, and who wrote it. */

import type { RowMessage } from '#db/driver/row-messages'
import { POSITION } from '#engine/storage/layout'
import { copyInstant } from '#base/text/copy-bytes'
import { timestampFromPostgres } from '#base/timing/clock'

/** `until` and `actor` are JSON. */
export const valueHead = (from: string, until: string, actor: string): string =>
  `"active_from":"${from}","active_until":${until},"created_by_actor":${actor}`

/** The beginning of values that were created with their entity. `createdAt` is PostgreSQL's text. */
export const createdHeadOf = (createdAt: string, actor: string): string =>
  `{${valueHead(timestampFromPostgres(createdAt), 'null', actor)}`

/** That beginning as bytes, which the next row may change. */
export interface CreatedHead {
  /** Changes with the bytes. */
  readonly version: number
  readonly bytes: Uint8Array
  text(): string
}

const BEFORE_INSTANT = '{"active_from":'.length
const INSTANT_LENGTH = '"2025-07-22T15:07:00.895000000Z"'.length
const COMMA = 0x2c

/**
 * Returns a function that gives the beginning for a row. Rows of an import have the same one, and others of the same actor
 * differ in the time only. `renderActor` renders the number of an actor.
 */
export function compileCreatedHead(renderActor: (actor: number) => string): (message: RowMessage) => CreatedHead {
  const createdAt = createMemo(POSITION.created_at)
  const createdBy = createMemo(POSITION.created_by)
  let isComplete = false
  let bytes = Buffer.alloc(0)
  let text: string | undefined
  const head = { version: 0, bytes, text: () => (text ??= bytes.toString()) }

  return (message) => {
    const isSameTime = createdAt.isSame(message)
    const isSameActor = createdBy.isSame(message) && isComplete
    if (isSameTime && isSameActor) return head
    isComplete = false // until the end, because an unknown actor throws
    text = undefined
    if (!isSameActor || !replaceInstant(bytes, message)) {
      const [at, by] = [message.value(POSITION.created_at), message.value(POSITION.created_by)]
      text = createdHeadOf(at as string, renderActor(by as number)) // timestamptz comes as text, int as a number
      head.bytes = bytes = Buffer.from(text)
    }
    head.version++
    isComplete = true
    return head
  }
}

const instant = Buffer.alloc(2 * INSTANT_LENGTH)

/** Returns false, and changes nothing, when this time or the one before has another length. */
function replaceInstant(head: Buffer, { bytes, starts, lengths }: RowMessage): boolean {
  const value = { bytes, start: starts[POSITION.created_at] ?? 0, length: lengths[POSITION.created_at] ?? 0 }
  if (head[BEFORE_INSTANT + INSTANT_LENGTH] !== COMMA || value.length > INSTANT_LENGTH) return false
  if (copyInstant(instant, 0, value) !== INSTANT_LENGTH) return false
  for (let index = 0; index < INSTANT_LENGTH; index++) head[BEFORE_INSTANT + index] = instant[index] ?? 0
  return true
}

/** A longer column is never the same as the one before. */
const MAX_MEMORISED = 40

/** Compares a column with the same column of the row before. */
function createMemo(position: number) {
  const before = new Uint8Array(MAX_MEMORISED)
  let lengthBefore = -1
  return {
    isSame({ bytes, starts, lengths }: RowMessage): boolean {
      const start = starts[position] ?? 0
      const length = lengths[position] ?? 0
      let isSame = length >= 0 && length === lengthBefore
      lengthBefore = length > MAX_MEMORISED ? -1 : length
      for (let index = 0; index < lengthBefore; index++) {
        const byte = bytes[start + index] ?? 0
        if (before[index] === byte) continue
        before[index] = byte
        isSame = false
      }
      return isSame
    },
  }
}
