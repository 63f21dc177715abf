/** Mentions in the text of comments: the email addresses of members. See docs/reference/comments.md (Mentions). */

import type { WorkspaceMember } from '../../api/access/workspace-members'

export type TextPart = string | WorkspaceMember

const LOCAL = /[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]/u
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** An address has at most this many characters on each side of its `@`. */
const MAX_LOCAL = 64
const MAX_DOMAIN = 255

/** The text with members in the place of their addresses. */
export function splitMentions(text: string, members: readonly WorkspaceMember[]): readonly TextPart[] {
  const byAddress = new Map(members.map((member) => [member.email_address.toLowerCase(), member]))
  const parts: TextPart[] = []
  let start = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const until = endOfAddress(text, at)
    const found = startsOfAddress(text, at, start).find((from) => byAddress.has(text.slice(from, until).toLowerCase()))
    const member = found === undefined ? undefined : byAddress.get(text.slice(found, until).toLowerCase())
    if (found === undefined || member === undefined) continue
    if (found > start) parts.push(text.slice(start, found))
    parts.push(member)
    start = until
  }
  if (start < text.length) parts.push(text.slice(start))
  return parts
}

/** A full stop behind an address ends the sentence. */
function endOfAddress(text: string, at: number): number {
  const last = Math.min(text.length, at + 1 + MAX_DOMAIN)
  let until = at + 1
  while (until < last && DOMAIN.test(text.charAt(until))) until++
  while (until > at + 1 && /[.-]/.test(text.charAt(until - 1))) until--
  return until
}

/** At the first character that an address may have, or behind punctuation such as a quotation mark. */
function startsOfAddress(text: string, at: number, earliest: number): readonly number[] {
  const first = Math.max(earliest, at - MAX_LOCAL)
  let from = at
  while (from > first && LOCAL.test(text.charAt(from - 1))) from--
  let behind = from
  while (behind < at && !LETTER_OR_DIGIT.test(text.charAt(behind))) behind++
  return behind === from ? [from] : [from, behind]
}

/** The unfinished mention before the caret: `@`, and a part of a name or of an address. */
export interface MentionQuery {
  /** The index of the `@`. */
  readonly from: number
  readonly query: string
}

const MAX_QUERY = 40

export function mentionAt(text: string, caret: number): MentionQuery | undefined {
  const from = caret === 0 ? -1 : text.lastIndexOf('@', caret - 1)
  if (from < 0 || caret - from > MAX_QUERY) return undefined
  if (from > 0 && LOCAL.test(text.charAt(from - 1))) return undefined
  const query = text.slice(from + 1, caret)
  return query.includes('\n') ? undefined : { from, query }
}

/** Replaces the unfinished mention by the address of a member. The caret is after it. */
export function insertMention(
  text: string,
  { from, query }: MentionQuery,
  address: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(from + 1 + query.length)
  const inserted = rest.startsWith(' ') ? address : `${address} `
  return { text: text.slice(0, from) + inserted + rest, caret: from + address.length + 1 }
}
