/**
 * The content of a comment: texts, and references to the members whose email addresses it had.
 * See docs/reference/comments.md (Mentions).
 */

import { type DataModel, ModelVersionConflict } from '#engine/data-model/model'

export interface Mention {
  /** The id of the member. */
  readonly member: string
}

export type CommentContent = readonly (string | Mention)[]

/** The characters of a local part without quotes, and of a domain. RFC 5322, 3.2.3. */
const LOCAL = /[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]/u
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** An address has at most this many characters on each side of its `@`. RFC 5321, 4.5.3.1. */
const MAX_LOCAL = 64
const MAX_DOMAIN = 255

/** Replaces the addresses of members by mentions. Takes time in proportion to the length: no scan passes another `@`. */
export function parseMentions({ membersByEmail }: Pick<DataModel, 'membersByEmail'>, text: string): CommentContent {
  const content: (string | Mention)[] = []
  let start = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const { from, until } = addressAround(text, at, start)
    for (const first of candidates(text, from, at)) {
      const member = membersByEmail.get(text.slice(first, until).toLowerCase())
      if (member === undefined) continue
      if (first > start) content.push(text.slice(start, first))
      content.push({ member: member.id })
      start = until
      break
    }
  }
  if (start < text.length) content.push(text.slice(start))
  return content
}

/** Where the address with the `@` begins and ends. It begins at `earliest` or later. */
function addressAround(text: string, at: number, earliest: number): { from: number; until: number } {
  const [first, last] = [Math.max(earliest, at - MAX_LOCAL), Math.min(text.length, at + 1 + MAX_DOMAIN)]
  let from = at
  while (from > first && LOCAL.test(text.charAt(from - 1))) from--
  let until = at + 1
  while (until < last && DOMAIN.test(text.charAt(until))) until++
  // A full stop behind an address ends the sentence.
  while (until > at + 1 && /[.-]/.test(text.charAt(until - 1))) until--
  return { from, until }
}

/** Where the address may begin: at the first character, or behind punctuation such as a quotation mark. */
function candidates(text: string, from: number, at: number): readonly number[] {
  let behind = from
  while (behind < at && !LETTER_OR_DIGIT.test(text.charAt(behind))) behind++
  return behind === from ? [from] : [from, behind]
}

/** Parses the JSON text that `insertComment` stores. */
export const parseContent = (json: string): CommentContent => JSON.parse(json) as CommentContent // as it was inserted

/** The text with the present addresses of the mentioned members. Throws `ModelVersionConflict` for one that the model lacks. */
export function renderMentions({ membersById }: Pick<DataModel, 'membersById'>, content: CommentContent): string {
  const addressOf = ({ member }: Mention): string => {
    const found = membersById.get(member)
    if (found === undefined) throw new ModelVersionConflict(`Member ${member} is not in the data model.`)
    return found.email_address
  }
  return content.map((part) => (typeof part === 'string' ? part : addressOf(part))).join('')
}

/** The ids of the mentioned members, each once. */
export const mentionedIn = (content: CommentContent): readonly string[] => [
  ...new Set(content.flatMap((part) => (typeof part === 'string' ? [] : [part.member]))),
]
