/**
 * Ids of references where the public API has texts: a comparison of one with `record_id::text` compares the ids, so that it uses the index
 * of the reference, and operators of texts get the id as text. See docs/decisions/sql.md.
 */

import { findParts } from '#engine/sql/compile/source-text'
import {
  itemsOfNode,
  isMembers,
  type Members,
  membersOf,
  namesOf,
  offsetOf,
  type Tree,
} from '#engine/sql/compile/parse/parse-text'
import { findMeaning, type Level, type ReferenceWalk } from './resolve-column'

/** The types of a column, as far as these comparisons need them. */
type Operand = 'id' | 'reference' | 'text'

const TEXT_KINDS: ReadonlySet<Tree> = new Set(['AEXPR_LIKE', 'AEXPR_ILIKE', 'AEXPR_SIMILAR'])
const TEXT_OPERATORS: ReadonlySet<string | undefined> = new Set(['||', '~', '~*', '!~', '!~*', '^@'])
const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '<>', '!='])

/** Makes the edits of one operator: `members` are those of an `A_Expr`. */
export function editReferenceTexts(walk: ReferenceWalk, members: Members, levels: readonly Level[]): void {
  const { kind, lexpr, rexpr } = members
  const [operator] = namesOf(members.name)
  const sides = [lexpr, rexpr] as const
  if (TEXT_KINDS.has(kind) || (kind === 'AEXPR_OP' && TEXT_OPERATORS.has(operator))) {
    for (const side of sides) if (operandOf(side, levels) === 'reference') addCast(walk, side)
    return
  }
  if (kind !== 'AEXPR_OP' || !COMPARISONS.has(operator)) return
  for (const [side, other] of [sides, [rexpr, lexpr] as const]) {
    if (operandOf(side, levels) !== 'reference') continue
    const cast = membersOf(other, 'TypeCast')
    const castOperand = cast && isText(cast) ? operandOf(cast.arg, levels) : undefined
    if (cast && (castOperand === 'id' || castOperand === 'reference')) removeCast(walk, cast)
    else if (operandOf(other, levels) === 'text') addCast(walk, side)
  }
}

/** Undefined for what is no column, and for columns of other types. */
function operandOf(tree: Tree, levels: readonly Level[]): Operand | undefined {
  const reference = membersOf(tree, 'ColumnRef')
  if (!reference) return undefined
  const names = namesOf(reference.fields)
  const column = names.length === 1 ? columnNamed(levels, names[0]) : columnMeant(levels, names)
  if (column === undefined || column.type.isArray) return undefined
  const { name } = column.type
  if (names.at(-1) === undefined) return undefined
  if (!column.hasField) return name === 'uuid' ? 'id' : name === 'text' ? 'text' : undefined
  return name === 'record_reference' ? 'reference' : undefined
}

function columnNamed(levels: readonly Level[], name: string | undefined) {
  const items = levels.at(-1) ?? []
  if (name === undefined || items.some(({ table }) => table === null)) return undefined
  const [type, ...others] = items.flatMap(({ table }) => table?.columns.get(name) ?? [])
  return type === undefined || others.length > 0 ? undefined : { type, hasField: false }
}

function columnMeant(levels: readonly Level[], names: readonly (string | undefined)[]) {
  const meaning = findMeaning(levels, names)
  if (meaning === undefined) return undefined
  const type = meaning.item?.table?.columns.get(names[meaning.columnParts - 1] ?? '')
  return type && { type, hasField: names.length > meaning.columnParts }
}

function isText({ typeName }: Members): boolean {
  const names = isMembers(typeName) ? namesOf(typeName.names) : []
  const hasBounds = isMembers(typeName) && itemsOfNode(typeName.arrayBounds).length > 0
  return names.length === 1 && names[0] === 'text' && !hasBounds
}

function addCast({ source, edits }: ReferenceWalk, tree: Tree): void {
  const reference = membersOf(tree, 'ColumnRef')
  if (!reference) return
  const last = findParts(source.bytes, offsetOf(reference) ?? 0, itemsOfNode(reference.fields).length)?.at(-1)
  if (last) edits.push({ start: last.end, end: last.end, text: '::text' })
}

const COLON = ':'.charCodeAt(0)

/** Only of the form `x::text`. The form `cast(x as text)` stays, and PostgreSQL refuses the comparison. */
function removeCast({ source, edits }: ReferenceWalk, cast: Members): void {
  const start = offsetOf(cast)
  const type = isMembers(cast.typeName) ? offsetOf(cast.typeName) : null
  if (start === null || type === null || source.bytes[start] !== COLON) return
  const [part] = findParts(source.bytes, type, 1) ?? []
  if (part) edits.push({ start, end: part.end, text: '' })
}
