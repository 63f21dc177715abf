/** What the editor writes is what the service reads and stores, and what it shows again is what was written. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Node } from 'prosemirror-model'
import type { BlockDocument } from '#base/text/block-document/document'
import { parseMarkdown } from '#base/text/block-document/parse-markdown'
import { renderMarkdown } from '#base/text/block-document/render-markdown'
import { atOnce } from '#base/timing/in-slices'
import { documentFrom } from '../blocks'
import { ListLevels } from '../list-levels'
import { schema } from '../schema'
import { writeMarkdown } from './write-markdown'

const parse = (markdown: string): BlockDocument => atOnce(parseMarkdown(markdown))
const render = (blocks: BlockDocument): string => atOnce(renderMarkdown(blocks))

/** The document after it was saved and opened again. */
const reopened = (doc: Node): Node => documentFrom(parse(writeMarkdown(doc)))

const FILE = '/v2/files/0198c1de-3f7a-7b52-9c6e-1f8a2b3c4d5e/download'

/** All that the format has, and texts that look like markup. */
const TEXTS = [
  '',
  'Plain',
  '# One\n## Two\n### Three',
  '#### Four',
  '- a\n* b\n+ c',
  '1. a\n1. b\n7) c',
  '- a\n  - b\n    1. c\n    2. d\n- e',
  '1. a\n   continued\n2. b',
  '- a\n\n  - b',
  '**b** __b__ *i* _i_ ~~s~~ ==h==',
  '***both*** **bold *and* italic** *italic **and** bold*',
  '**a**b *a*b ~~a~~b ==a==b',
  '[text](https://relata.dev/a_(b)?c=1&d=2) **[t](mailto:a@b.c)** [*t*](tel:+1)',
  '[t](javascript:alert(1)) [t](data:text/html,x)',
  'a ![alt](https://relata.dev/x.png) b',
  `![a b](${FILE}) x ![](${FILE})!![c](${FILE})`,
  `> ![a](${FILE}) **b![c](${FILE})**`,
  `- [ ] [![a](${FILE})](https://relata.dev)`,
  'a `code *x* <b>` b',
  '```js\n# no heading\n  *x*\n\n- y\n```',
  '> quote\n> - more',
  '| a | *b* |\n|---|---|',
  '<b>html</b> &amp; <script>alert(1)</script>',
  '---\n* * *\n___',
  '\\*literal\\* \\# \\\\ 1\\. x',
  '2 * 3 * 4, snake_case_name, a ~ b, x = y == z, [x] (y)',
  'C:\\dir\\*.txt & AT&T &copy; `tick',
  '  indented  \n\ttoo',
  '# Closed ##\n# C#',
]

describe('documents of the service', () => {
  test.each(TEXTS)('%j', (text) => {
    const blocks = parse(text)
    const doc = documentFrom(blocks)
    doc.check()
    const written = writeMarkdown(doc)
    expect(parse(written)).toEqual(blocks)
    expect(render(parse(written))).toBe(render(blocks))
    expect(writeMarkdown(documentFrom(parse(render(blocks))))).toBe(written)
  })
})

const CHARACTERS = [...'aab 1.)#-+*_~=`[](){}<>!&;:\\/|é😀"\t', '**', '~~', '==', '](', '&amp;', '1. ', '- ', '# ']
const TARGETS = ['https://relata.dev', 'mailto:a@b.c', 'https://e.org/(x)*y_z\\&amp;', 'tel:+1']

const text = fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const marks = fc
  .tuple(
    fc.subarray(['bold', 'italic', 'strikethrough', 'highlight'] as const),
    fc.option(fc.constantFrom(...TARGETS), { freq: 5 }),
  )
  .map(([names, href]) => [
    ...names.map((name) => schema.marks[name].create()),
    ...(href === null ? [] : [schema.marks.link.create({ href })]),
  ])
const image = fc
  .tuple(fc.constantFrom('', 'a', 'a*b_c.png', 'x ] y'), marks)
  .map(([name, all]) => schema.nodes.image.create({ name, fileId: FILE.slice(10, 46) }, null, all))
const line = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.tuple(text, marks).map(([content, all]) => schema.text(content, all)) },
    { weight: 1, arbitrary: image },
  ),
  { maxLength: 4 },
)
const block = fc.oneof(
  line.map((content) => schema.nodes.paragraph.create(null, content)),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), line)
    .map(([level, content]) => schema.nodes.heading.create({ level }, content)),
  fc
    .tuple(fc.constantFrom('bullet', 'number'), fc.integer({ min: 0, max: 3 }), line)
    .map(([kind, indent, content]) => schema.nodes.item.create({ kind, indent }, content)),
)
const anyDocument = fc.array(block, { minLength: 1, maxLength: 6 }).map(withPossibleIndents)

/** As the editor keeps them. */
function withPossibleIndents(blocks: readonly Node[]): Node {
  const levels = new ListLevels()
  const content = blocks.map((each) => {
    const clamped =
      each.type === schema.nodes.item
        ? each.type.create({ ...each.attrs, indent: levels.clamp(each.attrs.indent) }, each.content)
        : each
    levels.next(clamped)
    return clamped
  })
  return schema.nodes.doc.create(null, content)
}

const RUNS = { numRuns: 300 }

describe('random documents', () => {
  test('keep their lines, their kinds and their text', () => {
    fc.assert(
      fc.property(anyDocument, (doc) => {
        const again = reopened(doc)
        expect(again.childCount).toBe(doc.childCount)
        again.forEach((node, _at, index) => {
          const before = doc.child(index)
          expect(node.textContent).toBe(before.textContent)
          if (!/^(?:[-*_ \t]{3,}|[ \t]*)$/.test(before.textContent)) expect(node.type).toBe(before.type)
        })
      }),
      RUNS,
    )
  })

  test('are the same after they were saved twice', () => {
    fc.assert(
      fc.property(anyDocument, (doc) => {
        const once = reopened(doc)
        expect(reopened(once).toJSON()).toEqual(once.toJSON())
      }),
      RUNS,
    )
  })

  test('leave the markdown of the service as it is', () => {
    fc.assert(
      fc.property(anyDocument, (doc) => {
        const canonical = render(parse(writeMarkdown(doc)))
        expect(render(parse(writeMarkdown(documentFrom(parse(canonical)))))).toBe(canonical)
      }),
      RUNS,
    )
  })
})
