import { describe, expect, test } from 'bun:test'
import { atOnce } from '#base/timing/in-slices'
import { type BlockDocument, parsePlainText, renderPlainText } from './document'
import { parseMarkdown } from './parse-markdown'
import { renderMarkdown } from './render-markdown'

const parse = (text: string): BlockDocument => atOnce(parseMarkdown(text))
const render = (document: BlockDocument): string => atOnce(renderMarkdown(document))

const FILE = '/v2/files/0198c1de-3f7a-7b52-9c6e-1f8a2b3c4d5e/download'

/** Markdown, the plain text and the markdown that come of it. */
const CASES: readonly (readonly [markdown: string, plain: string, canonical?: string])[] = [
  ['', ''],
  ['Plain', 'Plain'],
  ['a\nb\n\nc\n\n\nd', 'a\nb\n\nc\n\n\nd'],
  ['# One\n## Two\n### Three', 'One\nTwo\nThree'],
  ['#### Four\n###### Six', 'Four\nSix', '### Four\n### Six'],
  ['####### Seven', '####### Seven'],
  ['#hash', '#hash'],
  ['# Closed ##', 'Closed', '# Closed'],
  ['- a\n* b\n+ c', 'a\nb\nc', '- a\n- b\n- c'],
  ['1. a\n1. b\n7) c', 'a\nb\nc', '1. a\n2. b\n3. c'],
  ['1. a\n\n2. b', 'a\n\nb'],
  ['- a\n  - b\n    1. c\n    2. d\n- e', 'a\nb\nc\nd\ne'],
  ['1. a\n   1. b\n   2. c\n2. d', 'a\nb\nc\nd'],
  ['* a\n    * b', 'a\nb', '- a\n  - b'],
  ['1. a\n   continued\n2. b', 'a\ncontinued\nb', '1. a\ncontinued\n2. b'],
  ['The year\n1986. It was.', 'The year\n1986. It was.'],
  ['**b** __b__ *i* _i_ ~~s~~ ==h==', 'b b i i s h', '**b** **b** *i* *i* ~~s~~ ==h=='],
  ['***both***', 'both'],
  ['**bold *and* italic**', 'bold and italic'],
  ['**a\nb**', 'a\nb', '**a**\n**b**'],
  ['[text](https://relata.dev/a_(b)?c=1&d=2)', 'text'],
  ['[text](https://relata.dev "A title")', 'text', '[text](https://relata.dev)'],
  ['**[t](mailto:a@b.c)** and [*t*](tel:+1)', 't and t', '**[t](mailto:a@b.c)** and *[t](tel:+1)*'],
  ['[t](javascript:alert(1)) [t](data:text/html,x) [t](/relative)', 't t t', 't t t'],
  ['[t](JavaScript:alert(1)) [t](<java\tscript:x>)', 't t', 't t'],
  ['a ![alt](https://relata.dev/x.png) b', 'a  b', 'a  b'],
  [`a ![my *drawing*](${FILE}) b`, `a ![my *drawing*](${FILE}) b`],
  [`- **![a](${FILE} "A title")**`, `![a](${FILE})`, `- **![a](${FILE})**`],
  [`![a](${FILE}?x)![b](x${FILE})`, '', ''],
  [`[![a](${FILE})](https://relata.dev)`, `![a](${FILE})`],
  ['a `code *x* <b>` b', 'a `code *x* <b>` b'],
  ['```js\n# no heading\n  *x*\n\n- y\n```', '```js\n# no heading\n  *x*\n\n- y\n```'],
  ['- a\n  ```\n  x\n  ```', 'a\n```\nx\n```', '- a\n```\nx\n```'],
  ['> quote\n> - more', '> quote\n> - more'],
  ['| a | *b* |\n|---|---|', '| a | b |\n|---|---|'],
  ['<b>html</b> &amp; <script>', '<b>html</b> & <script>', '<b>html</b> & <script>'],
  ['---\n* * *\n___', '---\n* * *\n___'],
  ['a\n---\nb\n===', 'a\n---\nb\n==='],
  ['\\*literal\\* \\# \\\\', '*literal* # \\', '\\*literal\\* # \\\\'],
  ['2 * 3 * 4, snake_case_name, a ~ b, x = y == z, [x]', '2 * 3 * 4, snake_case_name, a ~ b, x = y == z, [x]'],
  ['  indented  \n\ttoo', 'indented\ntoo', 'indented\ntoo'],
  ['one\r\ntwo\rthree', 'one\ntwo\nthree', 'one\ntwo\nthree'],
]

describe('markdown', () => {
  test.each(CASES)('%j', (markdown, plain, canonical = markdown) => {
    const document = parse(markdown)
    expect(renderPlainText(document)).toBe(plain)
    expect(render(document)).toBe(canonical)
    expect(parse(canonical)).toEqual(document)
  })
})

/** Plain text, and the markdown that is read as this text. */
const PLAIN: readonly (readonly [plain: string, markdown?: string])[] = [
  ['Outcome from the call:\n\nThey agreed.\n'],
  ['5 * 3 = 15 & more, a_b, [x] (y), C:\\dir, AT&T, 50% ~ <b>, #1, -5, 1.5'],
  ['*x*', '\\*x\\*'],
  ['# x', '\\# x'],
  ['- x\n+ y\n* z', '\\- x\n\\+ y\n\\* z'],
  ['1. x\n2. y', '1\\. x\n2. y'],
  ['[a](javascript:alert(1))', '\\[a\\](javascript:alert(1))'],
  ['[a](https://relata.dev)', '\\[a\\](https://relata.dev)'],
  ['![a](b)', '!\\[a\\](b)'],
  [`![a](${FILE})`],
  [`![a]b](${FILE})`],
  ['&amp;', '\\&amp;'],
  ['  two spaces ', '&#32; two spaces&#32;'],
  ['\t', '&#9;'],
  ['*a\nb*', '\\*a\nb\\*'],
  ['a\\\nb', 'a\\\\\nb'],
  ['```\nunclosed', '\\```\nunclosed'],
  ['```\n# closed\n```'],
  ['---'],
  ['`a*b*c`'],
]

describe('plain text', () => {
  test.each(PLAIN)('%j', (plain, markdown = plain) => {
    const document = atOnce(parsePlainText(plain))
    expect(renderPlainText(document)).toBe(plain)
    expect(render(document)).toBe(markdown)
    expect(parse(markdown)).toEqual(document)
  })
})

test('a document with blocks of all kinds', () => {
  expect(parse('# T\n\na **b** [c](https://d.e)\n- x\n  1. y')).toEqual([
    { heading: 1, text: 'T' },
    '',
    [{ text: 'a ' }, { text: 'b', marks: ['bold'] }, { text: ' ' }, { text: 'c', link: 'https://d.e' }],
    { item: 'bullet', indent: 0, text: 'x' },
    { item: 'number', indent: 1, text: 'y' },
  ])
})
