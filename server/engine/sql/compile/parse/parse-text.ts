/**
 * Parses SQL with PostgreSQL's own parser. The limits keep the parser from overflowing its stack, which it would not survive,
 * and from blocking the process.
 */

import { hasSqlDetails, loadModule, parseSync } from 'libpg-query'
import { createSourceText, type SourceText } from './source-text'
import { SqlRefused } from '#engine/sql/compile/sql-refused'
import { isMembers, itemsOf, type Members, membersOf, type Tree } from './tree'

await loadModule()

export const MAX_BYTES = 100_000
/** The parser survives four times as many when each of them is one level of the tree. */
const MAX_TOKENS = 5000
/** The levels of the tree. A chain of operators has three for each, a subquery about ten. */
const MAX_DEPTH = 1500

export interface ParsedQuery {
  readonly source: SourceText
  /** The members of the `SelectStmt`. */
  readonly query: Members
  readonly start: number
  /** The offset behind the query, before a semicolon. */
  readonly end: number
}

/** Throws `SqlRefused` for a text that is not exactly one query. */
export function parseCallerText(text: string): ParsedQuery {
  // A character has at least one byte, so the length is measured before the text is converted.
  if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES)
    throw new SqlRefused(`The query is longer than ${MAX_BYTES} bytes.`)
  const source = createSourceText(text)
  if (text.includes('\0')) throw source.refusal('The query contains the character U+0000.', null)
  if (!text.isWellFormed()) throw source.refusal('The query contains a part of a character.', null)
  if (countTokens(text) > MAX_TOKENS)
    throw source.refusal(
      'The query has too many words and operators.',
      null,
      'Send long lists as parameters: = any($1).',
    )
  return parseOneQuery(source)
}

/** Parses a text without limits on its length, for texts that the service made of a caller's text. */
export function parseOneQuery(source: SourceText): ParsedQuery {
  const statements = parse(source)
  const [first, second] = statements
  if (first === undefined) throw source.refusal('The query is empty.', null)
  if (second !== undefined)
    throw source.refusal('A request can contain only one query.', Number(second.stmt_location ?? 0))
  const query = membersOf(first.stmt, 'SelectStmt')
  if (!query) throw source.refusal('Only SELECT queries are allowed.', Number(first.stmt_location ?? 0))
  requireShallow(source, query)
  const start = Number(first.stmt_location ?? 0)
  const length = Number(first.stmt_len ?? 0)
  return { source, query, start, end: length === 0 ? source.bytes.length : start + length }
}

/** JavaScript's engine counts the parser's memory of 134 MB, of which little is used, and so lets as much garbage arise. */
const PARSES_PER_COLLECTION = 1000
let parses = 0

function parse(source: SourceText): Members[] {
  if (source.text.trim() === '') return []
  if (++parses % PARSES_PER_COLLECTION === 0) Bun.gc(false) // beside the work, not at once
  try {
    const tree = parseSync(source.text) as unknown as Members // the parser returns parsed JSON
    return itemsOf(tree.stmts).filter(isMembers)
  } catch (error) {
    if (!hasSqlDetails(error)) throw error
    const { cursorPosition = 0 } = error.sqlDetails ?? {} // counts characters from 0, unlike the tree
    throw new SqlRefused(shorten(error.message), cursorPosition + 1)
  }
}

const MAX_MESSAGE = 200

/** The parser repeats all of an unterminated string. */
const shorten = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}…` : message

const UUID_LITERAL = /'[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}'/gi
const TOKEN = /[\w\u0080-\uffff$]+|[^\s\w\u0080-\uffff$,.]/g

/**
 * An upper bound of the tokens that can nest. It counts the words in strings and comments too, because only the parser tells
 * them from others. A UUID counts once: no query has that form outside of strings.
 */
const countTokens = (text: string): number => text.replace(UUID_LITERAL, 'u').match(TOKEN)?.length ?? 0

function requireShallow(source: SourceText, query: Members): void {
  let level: readonly Tree[] = [query]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw source.refusal('The query is nested too deeply.', null)
    level = level.flatMap((tree) =>
      Array.isArray(tree) ? tree.filter(isBranch) : isMembers(tree) ? Object.values(tree).filter(isBranch) : [],
    )
  }
}

const isBranch = (tree: Tree): boolean => typeof tree === 'object' && tree !== null
