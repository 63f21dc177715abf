/** Limits the arguments of the functions that make long texts of short ones. */

import type { SourceText } from '#engine/sql/compile/parse/source-text'
import {
  isMembers,
  itemsOf,
  type Members,
  membersOf,
  offsetOf,
  textOf,
  type Tree,
} from '#engine/sql/compile/parse/tree'

const MAX_LENGTH = 1000
const MAX_FORMAT = 10_000

/** Functions whose second argument is a length or a number of repetitions. */
const WITH_LENGTH: ReadonlySet<string> = new Set(['repeat', 'lpad', 'rpad'])

export function checkArguments(source: SourceText, name: string, call: Members): void {
  const [first, second] = itemsOf(call.args)
  if (WITH_LENGTH.has(name) && !isSmallNumber(second))
    throw source.refusal(`The second argument of ${name} must be a number up to ${MAX_LENGTH}.`, offsetOf(call))
  if (name === 'format' && (call.func_variadic === true || !isPlainFormat(first)))
    throw source.refusal(
      'The first argument of format must be a text with %s, %I or %L, without widths.',
      offsetOf(call),
    )
}

function isSmallNumber(tree: Tree): boolean {
  const number = membersOf(tree, 'A_Const')?.ival
  return isMembers(number) && Number(number.ival ?? 0) <= MAX_LENGTH
}

function isPlainFormat(tree: Tree): boolean {
  const text = membersOf(tree, 'A_Const')?.sval
  if (!isMembers(text)) return false
  const format = textOf(text.sval)
  return format.length <= MAX_FORMAT && !format.replace(/%(?:\d{1,3}\$)?[sIL%]/g, '').includes('%')
}
