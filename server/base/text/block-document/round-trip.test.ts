/** Each stored block document is equal to the one that is parsed from its markdown. */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { atOnce } from '#base/timing/in-slices'
import {
  type Block,
  type BlockDocument,
  lineFrom,
  MARK_NAMES,
  parsePlainText,
  renderPlainText,
  spanOf,
} from './document'
import { parseMarkdown } from './parse-markdown'
import { renderMarkdown } from './render-markdown'

const parse = (text: string): BlockDocument => atOnce(parseMarkdown(text))
const render = (document: BlockDocument): string => atOnce(renderMarkdown(document))

const PIECES = [
  ['*', '**', '_', '__', '~~', '==', '~', '=', '`', '``', '```', '[', ']', '](', ')', '!', '\\', '&amp;', '&#32;', '&'],
  ['a', 'bc', '"', '.', ',', 'é', '😀', ' ', '  ', '\t', '\u00a0', '\n', '\n\n', '[a](https://b.c)', 'javascript:x'],
  ['# ', '## ', '#', '- ', '+ ', '-', '---', '1. ', '2. ', '1)', '    ', '  - ', '   1. ', '~~~', '> ', '|', '<b>'],
].flat()
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''))
const lineText = text.map((each) => each.replaceAll('\n', ' '))

const span = fc
  .tuple(lineText, fc.subarray([...MARK_NAMES]), fc.constantFrom(undefined, undefined, 'https://b.c/d(e)?f=g&amp;h*_'))
  .map(([each, marks, link]) => spanOf(each, marks, link))
const line = fc.oneof(
  lineText,
  fc.array(span, { maxLength: 4 }).map((spans) => lineFrom(spans)),
)
const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 4, arbitrary: line },
  line.map((each): Block => ({ heading: 2, text: each })),
  fc
    .tuple(fc.constantFrom('bullet' as const, 'number' as const), fc.integer({ min: 0, max: 10 }), line)
    .map(([item, indent, each]): Block => ({ item, indent, text: each })),
)
const document = fc.array(block, { maxLength: 8 })
const RUNS = { numRuns: 1000, seed: 1 }

test('markdown, stored and rendered, is a fixed point', () => {
  fc.assert(
    fc.property(text, (markdown) => {
      const stored = parse(markdown)
      const rendered = render(stored)
      const again = parse(rendered)
      expect(renderPlainText(again)).toBe(renderPlainText(stored))
      expect(render(again)).toBe(rendered)
    }),
    RUNS,
  )
})

test('the markdown of a document is a fixed point and has its text', () => {
  fc.assert(
    fc.property(document, (stored) => {
      const rendered = render(stored)
      const again = parse(rendered)
      expect(renderPlainText(again)).toBe(renderPlainText(stored))
      expect(render(again)).toBe(rendered)
    }),
    RUNS,
  )
})

test.each([
  [[' ~~~', '~~~']],
  [['a', ' ```', '```', 'b']],
  [['  ~~~', '~~~', '*a*', '~~~']],
  [['~~~', '  *a*', ' ~~~']],
])('the markdown of %j has its text', (stored) => {
  expect(parse(render(stored))).toEqual(stored)
})

test('the markdown of plain text is read as the same document', () => {
  fc.assert(
    fc.property(text, (plain) => {
      const stored = atOnce(parsePlainText(plain))
      expect(renderPlainText(stored)).toBe(plain)
      expect(parse(render(stored))).toEqual(stored)
    }),
    RUNS,
  )
})
