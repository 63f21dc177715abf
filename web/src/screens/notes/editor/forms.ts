/**
 * Checklists, quotes and code. The format of notes keeps them as texts: an item that begins with `[ ]` or `[x]`, a paragraph that begins
 * with `>`, and the lines between two fences. The editor shows what such a text means, and its commands change the text.
 */

import type { Node, ResolvedPos } from 'prosemirror-model'
import { type Command, type EditorState, Plugin, TextSelection, type Transaction } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view'
import { fenceOf, findFences } from '#vocabulary/fences'
import { schema } from './schema'

const { paragraph, item } = schema.nodes

export type FormName = 'task' | 'quote' | 'code'

export interface LineForm {
  readonly name: FormName
  /** The number of characters that say the form, which are not shown. */
  readonly prefix: number
  /** Of a task. */
  readonly isDone?: boolean
}

const TASK_PATTERN = /^\[([ xX])\](?: |$)/
const QUOTE_PATTERN = /^>(?: |$)/

const PREFIXES = { task: '[ ] ', quote: '> ' } as const

/** Of documents, which never change: each key in the editor asks for the forms several times. */
const cache = new WeakMap<Node, readonly (LineForm | undefined)[]>()

/** The forms of all blocks of a document; undefined for a block without one. */
export function formsOf(doc: Node): readonly (LineForm | undefined)[] {
  const cached = cache.get(doc)
  if (cached !== undefined) return cached
  const found = findForms(doc)
  cache.set(doc, found)
  return found
}

function findForms(doc: Node): (LineForm | undefined)[] {
  const forms: (LineForm | undefined)[] = []
  const lines: (string | undefined)[] = []
  doc.forEach((block) => {
    forms.push(formOfText(block))
    lines.push(isLiteral(block) ? block.textContent : undefined)
  })
  for (const { first, last } of findFences(lines, { opensIndented: false }))
    for (let index = first; index <= last; index++) forms[index] = { name: 'code', prefix: 0 }
  return forms
}

function formOfText(block: Node): LineForm | undefined {
  const text = block.firstChild?.text ?? ''
  const task = block.type === item ? TASK_PATTERN.exec(text) : null
  if (task) return { name: 'task', prefix: task[0].length, isDone: task[1] !== ' ' }
  const quote = block.type === paragraph ? QUOTE_PATTERN.exec(text) : null
  return quote ? { name: 'quote', prefix: quote[0].length } : undefined
}

/** A paragraph without marks, which the format stores as it is. */
const isLiteral = (block: Node): boolean =>
  block.type === paragraph &&
  (block.childCount === 0 || (block.childCount === 1 && block.firstChild?.marks.length === 0))

/** The form of the line with the cursor, or with the beginning of the selection. */
export const formAtCursor = ({ doc, selection: { $from } }: EditorState): LineForm | undefined =>
  formsOf(doc)[$from.index(0)]

/** Shows the forms. */
export const forms = (): Plugin<DecorationSet> =>
  new Plugin<DecorationSet>({
    state: {
      init: (_config, { doc }) => decorationsOf(doc),
      apply: (tr, shown) => (tr.docChanged ? decorationsOf(tr.doc) : shown),
    },
    props: {
      decorations(state) {
        return this.getState(state)
      },
    },
    appendTransaction: (_transactions, _before, state) => behindPrefix(state) ?? null,
  })

/** Moves the cursor out of hidden characters, in front of which nothing can be written. Undefined where it is not in any. */
export function behindPrefix(state: EditorState): Transaction | undefined {
  const { $from, empty } = state.selection
  const { prefix = 0 } = formAtCursor(state) ?? {}
  if (!empty || $from.parentOffset >= prefix) return undefined
  return state.tr.setSelection(TextSelection.create(state.doc, $from.start() + prefix))
}

function decorationsOf(doc: Node): DecorationSet {
  const shown: Decoration[] = []
  const found = formsOf(doc)
  doc.forEach((block, at, index) => {
    const form = found[index]
    if (!form) return
    const { name, prefix, isDone = false } = form
    shown.push(Decoration.node(at, at + block.nodeSize, { class: isDone ? `${name} done` : name }))
    // Behind a text that takes no part in the layout, a browser has no place for the cursor.
    const hiding = block.content.size > prefix ? 'prefix' : 'prefix alone'
    if (prefix > 0) shown.push(Decoration.inline(at + 1, at + 1 + prefix, { class: hiding }))
    if (name === 'task') shown.push(Decoration.widget(at + 1, checkbox(isDone), { side: -1, key: `task ${isDone}` }))
  })
  return DecorationSet.create(doc, shown)
}

/** Mod-Enter does the same from the text. */
const checkbox =
  (isDone: boolean) =>
  (view: EditorView, positionOf: () => number | undefined): HTMLElement => {
    const box = document.createElement('input')
    Object.assign(box, { type: 'checkbox', checked: isDone, disabled: !view.editable, tabIndex: -1 })
    box.contentEditable = 'false'
    box.setAttribute('aria-label', 'Done')
    box.addEventListener('mousedown', (event) => event.preventDefault())
    box.addEventListener('click', (event) => {
      event.preventDefault()
      const at = positionOf()
      if (at !== undefined) view.dispatch(turnTask(view.state.tr, view.state.doc.resolve(at).start(1), !isDone))
    })
    return box
  }

/** `start` is where the text of the item begins. The mark is its second character. */
const turnTask = (tr: Transaction, start: number, isDone: boolean): Transaction =>
  tr.insertText(isDone ? 'x' : ' ', start + 1, start + 2)

/** Marks the task at the cursor as done, or as not done. */
export const toggleDone: Command = (state, dispatch) => {
  const form = formAtCursor(state)
  if (form?.name !== 'task') return false
  dispatch?.(turnTask(state.tr, state.selection.$from.start(1), form.isDone !== true))
  return true
}

/** Gives the selected lines a form, or takes it from them if all have it. */
export const toggleForm =
  (name: FormName): Command =>
  (state, dispatch) => {
    const { tr } = state
    const blocks = selectedBlocks(state)
    const isOn = blocks.every(({ form }) => form?.name === name)
    if (name !== 'code') {
      // From the last one, so that the positions of the others stay.
      for (const each of blocks.toReversed()) setPrefix(tr, each, isOn ? undefined : name)
    } else if (isOn) removeFences(state, tr)
    else addFences(blocks, tr)
    if (tr.docChanged) dispatch?.(tr.scrollIntoView())
    return tr.docChanged
  }

interface FormedBlock {
  readonly block: Node
  readonly at: number
  readonly form: LineForm | undefined
}

function formedBlocks(doc: Node): FormedBlock[] {
  const found = formsOf(doc)
  const blocks: FormedBlock[] = []
  doc.forEach((block, at, index) => blocks.push({ block, at, form: found[index] }))
  return blocks
}

const selectedBlocks = ({ doc, selection }: EditorState): FormedBlock[] =>
  formedBlocks(doc).slice(selection.$from.index(0), selection.$to.index(0) + 1)

function setPrefix(tr: Transaction, { block, at, form }: FormedBlock, name: 'task' | 'quote' | undefined): void {
  if (form?.name === 'code' || (name !== undefined && form?.name === name)) return
  if (form) tr.delete(at + 1, at + 1 + form.prefix)
  if (name === undefined) return
  if (name === 'quote') tr.setNodeMarkup(at, paragraph)
  else tr.setNodeMarkup(at, item, block.type === item ? block.attrs : { kind: 'bullet' })
  tr.insert(at + 1, schema.text(PREFIXES[name]))
}

const FENCE = '```'

/** The selected lines become literal text between two fences. */
function addFences(blocks: readonly FormedBlock[], tr: Transaction): void {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return
  const lines = [FENCE, ...blocks.map(({ block }) => block.textContent), FENCE]
  tr.replaceWith(
    first.at,
    last.at + last.block.nodeSize,
    lines.map((line) => paragraph.create(null, line === '' ? [] : [schema.text(line)])),
  )
}

/** Removes the fences around the lines with the cursor. */
function removeFences({ doc, selection: { $from } }: EditorState, tr: Transaction): void {
  const blocks = formedBlocks(doc)
  const lines = blocks.map(({ block }) => (isLiteral(block) ? block.textContent : undefined))
  const index = $from.index(0)
  const code = findFences(lines, { opensIndented: false }).find(({ first, last }) => first <= index && index <= last)
  for (const fence of code ? [blocks[code.last], blocks[code.first]] : [])
    if (fence && tr.doc.childCount > 1) tr.delete(fence.at, fence.at + fence.block.nodeSize)
}

/** Enter behind an opening fence adds the closing one. */
export const closeFence: Command = ({ doc, selection: { $from, empty }, tr }, dispatch) => {
  const { parent, parentOffset } = $from
  const fence = isLiteral(parent) ? fenceOf(parent.textContent) : undefined
  if (!empty || fence === undefined || parentOffset < parent.content.size) return false
  if (formsOf(doc)[$from.index(0)]?.name === 'code') return false
  tr.insert($from.after(), [paragraph.create(), paragraph.create(null, [schema.text(fence)])])
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, $from.after() + 1)).scrollIntoView())
  return true
}

/** Enter in a task or a quote: the next line has the form as well. In one without text, Enter ends it. */
export const continueForm =
  (split: Command): Command =>
  (state, dispatch) => {
    const form = formAtCursor(state)
    if (form?.name !== 'task' && form?.name !== 'quote') return false
    const { $from } = state.selection
    if ($from.parent.content.size === form.prefix) return removePrefix(state, dispatch)
    if ($from.parentOffset < form.prefix) return false
    const { name } = form
    return split(state, (tr) => {
      const { parent, pos } = tr.selection.$from
      const start = pos - tr.selection.$from.parentOffset
      if (parent.type === item || parent.type === paragraph) tr.insert(start, schema.text(PREFIXES[name]))
      dispatch?.(tr)
    })
  }

/** Takes the form of the line at the cursor, and of a task also the item. */
const removePrefix: Command = ({ selection: { $from }, tr }, dispatch) => {
  tr.delete($from.start(), $from.end()).setNodeMarkup($from.before(), paragraph)
  dispatch?.(tr.scrollIntoView())
  return true
}

/** Backspace at the beginning of a task or a quote takes its form. */
export const deletePrefix: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  const form = formAtCursor(state)
  if (!empty || !form || form.prefix === 0) return false
  if (isLastCharacter($from, form)) {
    // A browser would move the cursor in front of the hidden characters.
    dispatch?.(state.tr.delete($from.start() + form.prefix, $from.pos))
    return true
  }
  if ($from.parentOffset > form.prefix) return false
  dispatch?.(state.tr.delete($from.start(), $from.start() + form.prefix).scrollIntoView())
  return true
}

/** Whether the cursor is behind the only character that is shown. */
const isLastCharacter = ({ parent, parentOffset }: ResolvedPos, { prefix }: LineForm): boolean =>
  parentOffset === parent.content.size && Array.from(parent.textContent.slice(prefix)).length === 1
