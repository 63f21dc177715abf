/** What is typed to choose from a list: a `/` at the beginning of a line and the name of a block, or an `@` and the name of a member or record. */

import type { Command, EditorState } from 'prosemirror-state'
import { type BlockKind, setKind } from './commands'
import { formAtCursor, type FormName, toggleForm } from './forms'
import { schema } from './schema'

export interface Typed {
  readonly sign: '/' | '@'
  /** What follows the sign. */
  readonly query: string
  readonly from: number
  readonly to: number
}

/** No name of a block or a member is longer. */
const MAX_LENGTH = 40

const BLOCK_PATTERN = /^\/([\p{L}\p{N} ]*)$/u
const MAX_WORDS = 3

export function typedAt(state: EditorState): Typed | undefined {
  const { $from, empty, from: to } = state.selection
  if (!empty || !$from.parent.isTextblock || formAtCursor(state)?.name === 'code') return undefined
  const { parentOffset, parent } = $from
  const before = parent.textBetween(Math.max(0, parentOffset - MAX_LENGTH), parentOffset)
  const block = parentOffset <= before.length ? BLOCK_PATTERN.exec(before)?.[1] : undefined
  const query = block ?? mentionIn(before)
  const sign = block === undefined ? '@' : '/'
  return query === undefined ? undefined : { sign, query, from: to - query.length - 1, to }
}

/** What follows an `@` that begins a word. A space directly behind it is no name, and nor are more than three words. */
function mentionIn(before: string): string | undefined {
  const at = before.lastIndexOf('@')
  const query = before.slice(at + 1)
  const isName = !query.startsWith(' ') && query.split(' ').filter((word) => word !== '').length <= MAX_WORDS
  return at >= 0 && isName && /^[\s(]?$/u.test(before.charAt(at - 1)) ? query : undefined
}

/** Deletes what was typed, and changes the line. */
export const replaceTyped =
  ({ from, to }: Typed, command: Command): Command =>
  (state, dispatch) => {
    const tr = state.tr.delete(from, to)
    const between = state.apply(tr)
    let isChanged = false
    command(between, (change) => {
      isChanged = true
      for (const step of change.steps) tr.step(step)
      dispatch?.(tr.scrollIntoView())
    })
    if (!isChanged) dispatch?.(tr)
    return true
  }

/** Links the name in the place of what was typed. */
export const insertMention =
  ({ from, to }: Typed, label: string, href: string): Command =>
  ({ tr }, dispatch) => {
    tr.replaceWith(from, to, schema.text(label, [schema.marks.link.create({ href })]))
    dispatch?.(tr.removeStoredMark(schema.marks.link).scrollIntoView())
    return true
  }

interface BlockChoice {
  readonly id: BlockKind | FormName
  readonly label: string
  /** Other words for it, and what is typed for it without the list. */
  readonly words: string
  readonly typed: string
  readonly command: Command
}

const kind = (id: BlockKind, label: string, words: string, typed: string): BlockChoice => ({
  id,
  label,
  words,
  typed,
  command: setKind(id),
})
const form = (id: FormName, label: string, words: string, typed: string): BlockChoice => ({
  id,
  label,
  words,
  typed,
  command: toggleForm(id),
})

const CHOICES: readonly BlockChoice[] = [
  kind('paragraph', 'Text', 'paragraph', ''),
  kind('heading-1', 'Heading 1', 'h1 title', '#'),
  kind('heading-2', 'Heading 2', 'h2', '##'),
  kind('heading-3', 'Heading 3', 'h3', '###'),
  kind('bullet', 'Bulleted list', 'ul item', '-'),
  kind('number', 'Numbered list', 'ol ordered', '1.'),
  form('task', 'Checklist', 'todo task checkbox', '[]'),
  form('quote', 'Quote', 'citation', '>'),
  form('code', 'Code', 'pre literal', '```'),
]

export const choicesFor = (query: string): readonly BlockChoice[] => {
  const text = query.trim().toLowerCase()
  return CHOICES.filter(({ label, words }) => `${label} ${words}`.toLowerCase().includes(text))
}
