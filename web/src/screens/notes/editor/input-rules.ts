/** Markdown that becomes formatting while a person types it. */

import { InputRule, inputRules, textblockTypeInputRule } from 'prosemirror-inputrules'
import type { MarkType } from 'prosemirror-model'
import { Plugin } from 'prosemirror-state'
import { formAtCursor } from './forms'
import { isLinkTarget } from './link-target'
import { schema } from './schema'

const { heading, item } = schema.nodes
const { bold, italic, strikethrough, highlight, link } = schema.marks

/**
 * Marked text, in front of the cursor: behind the beginning of the line or a character that is no letter, without spaces at its
 * ends. The last character is the one that is typed.
 */
const MARKED: readonly (readonly [RegExp, string, MarkType])[] = [
  [/(?<![\p{L}\p{N}*])\*\*([^*\s]|[^*\s][^*]*[^*\s])\*\*$/u, '**', bold],
  [/(?<![\p{L}\p{N}_])__([^_\s]|[^_\s][^_]*[^_\s])__$/u, '__', bold],
  [/(?<![\p{L}\p{N}*])\*([^*\s]|[^*\s][^*]*[^*\s])\*$/u, '*', italic],
  [/(?<![\p{L}\p{N}_])_([^_\s]|[^_\s][^_]*[^_\s])_$/u, '_', italic],
  [/(?<!~)~~([^~\s]|[^~\s][^~]*[^~\s])~~$/u, '~~', strikethrough],
  [/(?<!=)==([^=\s]|[^=\s][^=]*[^=\s])==$/u, '==', highlight],
]

/** A web address in front of the space that is typed, without the punctuation of its sentence. */
const ADDRESS_PATTERN = /(?:^|[\s(])(https?:\/\/[^\s<>]{1,2000}[^\s<>.,;:!?'"()]\/?)[.,;:!?'")]* $/u

const TASK_PATTERN = /^\[([ xX]?)\] $/

const LINK_PATTERN = /\[([^[\]]+)\]\(([^()\s]+)\)$/

export function markdownRules(): Plugin {
  const rules = inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,3}) $/, heading, (match) => ({ level: match[1]?.length ?? 1 })),
      textblockTypeInputRule(/^[-+*] $/, item, { kind: 'bullet' }),
      textblockTypeInputRule(/^1[.)] $/, item, { kind: 'number' }),
      ...MARKED.map(([pattern, delimiter, mark]) => markRule(pattern, delimiter, mark)),
      linkRule(),
      addressRule(),
      taskRule(),
    ],
  })
  const { handleTextInput } = rules.props
  return new Plugin({
    ...rules.spec,
    props: {
      ...rules.props,
      // Code is literal text.
      handleTextInput(view, ...typed) {
        return formAtCursor(view.state)?.name !== 'code' && handleTextInput?.call(rules, view, ...typed) === true
      },
    },
  })
}

/** All but the last character is in the document already. */
const markRule = (pattern: RegExp, delimiter: string, mark: MarkType): InputRule =>
  new InputRule(pattern, ({ tr }, match, start, end) => {
    const [, text = ''] = match
    const from = start + delimiter.length
    const to = from + text.length
    if (text === '' || to > end) return null
    return tr
      .delete(to, end)
      .delete(start, from)
      .addMark(start, start + text.length, mark.create())
      .removeStoredMark(mark)
  })

const linkRule = (): InputRule =>
  new InputRule(LINK_PATTERN, ({ tr }, [, text = '', href = ''], start, end) => {
    if (!isLinkTarget(href)) return null
    const to = start + 1 + text.length
    return tr
      .delete(to, end)
      .delete(start, start + 1)
      .addMark(start, start + text.length, link.create({ href }))
      .removeStoredMark(link)
  })

const addressRule = (): InputRule =>
  new InputRule(ADDRESS_PATTERN, ({ tr, doc }, [whole = '', href = ''], start, end) => {
    const from = start + whole.indexOf(href)
    const to = from + href.length
    if (!isLinkTarget(href) || doc.rangeHasMark(from, to, link)) return null
    return tr.addMark(from, to, link.create({ href })).insertText(' ', end).removeStoredMark(link)
  })

/** A paragraph becomes an item. */
const taskRule = (): InputRule =>
  new InputRule(TASK_PATTERN, ({ tr, doc }, [, mark = ''], start, end) => {
    const { parent } = doc.resolve(start)
    if (parent.type === heading) return null
    tr.insertText(`[${mark === '' ? ' ' : mark}] `, start, end)
    return parent.type === item ? tr : tr.setBlockType(start, start, item, { kind: 'bullet' })
  })
