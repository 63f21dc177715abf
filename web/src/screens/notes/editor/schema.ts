/**
 * The document of the editor. It holds what the format of notes has and nothing else: each block is one line, and an item of a
 * list has an indent in place of a list around it.
 */

import { type DOMOutputSpec, type Mark, type MarkSpec, type Node, type NodeSpec, Schema } from 'prosemirror-model'
import { imageMarkdown } from '#vocabulary/note-images'
import { isUuid } from '#vocabulary/uuids'
import { contentUrl } from '../../../api/files/files'
import { isLinkTarget } from './link-target'

export type ItemKind = 'bullet' | 'number'

export const MAX_INDENT = 8

const LISTS = ['UL', 'OL']

/** The deepest heading of the format. */
const MAX_LEVEL = 3

const nodes = {
  doc: { content: 'block+' },
  paragraph: {
    group: 'block',
    content: 'inline*',
    parseDOM: [{ tag: 'p' }, { tag: 'div' }],
    toDOM: (): DOMOutputSpec => ['p', 0],
  },
  heading: {
    group: 'block',
    content: 'inline*',
    attrs: { level: { default: 1 } },
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level: Math.min(level, MAX_LEVEL) } })),
    toDOM: ({ attrs }: Node): DOMOutputSpec => [`h${attrs.level}`, 0],
  },
  item: {
    group: 'block',
    content: 'inline*',
    attrs: { kind: { default: 'bullet' }, indent: { default: 0 } },
    defining: true,
    parseDOM: [
      { tag: 'li', getAttrs: (element: HTMLElement) => ({ kind: kindOf(element), indent: indentOf(element) }) },
      // Many programs put the text of an item into a paragraph.
      { tag: 'li > p, li > div', skip: true, priority: 60 },
    ],
    toDOM: ({ attrs }: Node): DOMOutputSpec => ['p', { class: `item ${attrs.kind} indent-${attrs.indent}` }, 0],
  },
  image: {
    group: 'inline',
    inline: true,
    draggable: true,
    attrs: { fileId: {}, name: { default: '' } },
    leafText: ({ attrs }: Node): string => imageMarkdown({ fileId: attrs.fileId, name: attrs.name }),
    parseDOM: [
      {
        tag: 'img[data-file]',
        getAttrs: (element: HTMLElement) => {
          const fileId = element.dataset.file ?? ''
          return isUuid(fileId) ? { fileId, name: element.getAttribute('alt') ?? '' } : false
        },
      },
    ],
    toDOM: ({ attrs }: Node): DOMOutputSpec => [
      'img',
      { src: contentUrl(attrs.fileId), alt: attrs.name, title: attrs.name, 'data-file': attrs.fileId },
    ],
  },
  text: { group: 'inline' },
} satisfies Record<string, NodeSpec>

const marks = {
  link: {
    attrs: { href: {} },
    inclusive: false,
    parseDOM: [
      {
        tag: 'a[href]',
        getAttrs: (element: HTMLElement) => {
          const href = element.getAttribute('href') ?? ''
          return isLinkTarget(href) ? { href } : false
        },
      },
    ],
    toDOM: ({ attrs }: Mark): DOMOutputSpec => [
      'a',
      { href: attrs.href, rel: 'noopener noreferrer nofollow external', target: '_blank' },
    ],
  },
  bold: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: (): DOMOutputSpec => ['strong', 0] },
  italic: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: (): DOMOutputSpec => ['em', 0] },
  strikethrough: {
    parseDOM: [{ tag: 's' }, { tag: 'del' }, { tag: 'strike' }],
    toDOM: (): DOMOutputSpec => ['s', 0],
  },
  highlight: { parseDOM: [{ tag: 'mark' }], toDOM: (): DOMOutputSpec => ['mark', 0] },
} satisfies Record<string, MarkSpec>

export const schema = new Schema({ nodes, marks })

const kindOf = ({ parentElement }: HTMLElement): ItemKind => (parentElement?.tagName === 'OL' ? 'number' : 'bullet')

/** How many lists are around the list of an item. */
function indentOf(item: HTMLElement): number {
  let lists = 0
  for (let around = item.parentElement; around !== null && lists <= MAX_INDENT; around = around.parentElement) {
    if (LISTS.includes(around.tagName)) lists++
  }
  return Math.min(Math.max(lists - 1, 0), MAX_INDENT)
}
