/**
 * Parses SQL with PostgreSQL's own parser. The limits keep the parser from overflowing its stack, which it would not survive,
 * and from blocking the process.
 */

import { createSourceText, type SourceText, SqlRefused } from '#engine/sql/compile/source-text'
import { parseStatements, SqlSyntaxError } from './postgresql-parser'

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

function parse(source: SourceText): Members[] {
  if (source.text.trim() === '') return []
  try {
    const tree = parseStatements(source.text) as Members // the parser returns parsed JSON
    return itemsOfNode(tree.stmts).filter(isMembers)
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error
    throw new SqlRefused(shorten(error.message), error.position)
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

// The tree that the parser returns: nodes are objects with one member, their type, such as `{"ColumnRef": {…}}`.

export type Tree = string | number | boolean | null | undefined | readonly Tree[] | Members

/** The members of a node. The parser leaves out members that are 0, false or empty. */
export interface Members {
  readonly [name: string]: Tree
}

interface Node {
  readonly type: string
  readonly members: Members
}

export const isMembers = (tree: Tree): tree is Members =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree)

/** The node of an object with one member. Undefined for everything else. */
export function nodeOf(tree: Tree): Node | undefined {
  if (!isMembers(tree)) return undefined
  const [entry, ...others] = Object.entries(tree)
  return entry && others.length === 0 && isMembers(entry[1]) ? { type: entry[0], members: entry[1] } : undefined
}

/** The members of a node of one type. */
export function membersOf(tree: Tree, type: string): Members | undefined {
  const node = nodeOf(tree)
  return node?.type === type ? node.members : undefined
}

/** The members of the nodes of one type in a list. */
export function nodesOf(tree: Tree, type: string): Members[] {
  const found: Members[] = []
  for (const item of itemsOfNode(tree)) {
    const members = membersOf(item, type)
    if (members) found.push(members)
  }
  return found
}

/** Calls `visit` with the node, or with each node of a list. */
export function eachMembers(tree: Tree, visit: (members: Members) => void): void {
  if (Array.isArray(tree)) for (const item of tree) eachMembers(item, visit)
  else if (isMembers(tree)) visit(tree)
}

/** The items of a member that is a list. Other members count as empty. */
export const itemsOfNode = (tree: Tree): readonly Tree[] => (Array.isArray(tree) ? tree : [])

/** The texts of a list of names. Undefined stands for `*` and for what has no name. */
export const namesOf = (tree: Tree): (string | undefined)[] => itemsOfNode(tree).map(nameOfNode)

/** The text of a `String` node. The parser leaves out an empty one. */
export function nameOfNode(tree: Tree): string | undefined {
  const members = membersOf(tree, 'String')
  return members === undefined ? undefined : textOfNode(members.sval)
}

export const textOfNode = (tree: Tree): string => (typeof tree === 'string' ? tree : '')

/** The offset at which a node begins. The parser leaves out 0, and writes -1 where it has no offset. */
export function offsetOf(members: Members): number | null {
  const { location } = members
  if (location === undefined) return 0
  return typeof location === 'number' && location >= 0 ? location : null
}
