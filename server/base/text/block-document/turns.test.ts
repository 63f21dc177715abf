/** No text keeps the event loop busy for long: the parser and the renderer pause often enough, whatever they read. */

import { describe, expect, test } from 'bun:test'
import { adversarialTexts, BARE } from '#testing/adversarial-texts'
import { limitHere } from '#testing/cpu-time'
import { parseMarkdown } from './parse-markdown'
import { parsePlainText, renderPlainText } from './document'
import { renderMarkdown } from './render-markdown'

const LIMIT_MS = 50
/** The length of the largest note. */
const LENGTH = 1_000_000
/** A quarter of the largest note for the texts of one repeated piece, because there are many. */
const REPEATED_LENGTH = 250_000
const MOST_TRIES = 6

const many = (piece: string, length = LENGTH): string => piece.repeat(Math.ceil(length / piece.length))
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const MARKUP =
  '**,__,~~,==,[a](,[a](https://b.c) ,![,](,`a` ,> ,- ,  - ,\\*,&amp;,**a** ,*a*\n,- a\n,1. a\n,# a\n,a\n,```\n,~~~\na\n,a`\n'.split(
    ',',
  )

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ...MARKUP.map((piece): [string, string] => [piece, many(piece, REPEATED_LENGTH)]),
  ['lines', many('a\n')],
  ['paragraphs', many('a **b** `c` [d](https://e.f)\n\n')],
  ['items in items', lines(1400, (index) => `${' '.repeat(index)}- a`)],
  ...['- ', '# '].map((start): [string, string] => [
    `long lines that begin with ${start}`,
    lines(20, () => start + '*a'.repeat(2400)),
  ]),
  ['quotes in quotes', `${'> '.repeat(1000)}a`],
  ['longer and longer fences', lines(300, (index) => '`'.repeat(index + 3))],
  ['shorter and shorter fences over many lines', lines(300, (index) => '`'.repeat(303 - index)) + many('\na')],
]

/** The processor time of the longest step, in milliseconds. */
function longestStep<T>(computation: Generator<void, T>): { longest: number; value: T } {
  let longest = 0
  for (;;) {
    const before = process.threadCpuUsage()
    const { done, value } = computation.next()
    const after = process.threadCpuUsage()
    longest = Math.max(longest, (after.user + after.system - before.user - before.system) / 1000)
    if (done === true) return { longest, value }
  }
}

function longestTurn(text: string): number {
  const parsed = longestStep(parseMarkdown(text))
  const stored = longestStep(oneStep(() => JSON.parse(JSON.stringify(parsed.value)) as typeof parsed.value)) // as it was stored
  const rendered = longestStep(renderMarkdown(stored.value))
  const plain = longestStep(oneStep(() => renderPlainText(stored.value)))
  const ofPlain = longestStep(renderMarkdown(longestStep(parsePlainText(text)).value))
  return Math.max(parsed.longest, stored.longest / 2, rendered.longest, plain.longest, ofPlain.longest)
}

// oxlint-disable-next-line require-yield -- it has one step
function* oneStep<T>(step: () => T): Generator<void, T> {
  return step()
}

/**
 * The longest turn as a share of the limit; the least of several tries, because the garbage collector may run during one. The limit is that of
 * the machine at this moment.
 */
function leastTurn(text: string): number {
  let least = Infinity
  for (let count = 0; count < MOST_TRIES && least > 1; count++) {
    const turn = longestTurn(text)
    least = Math.min(least, turn / (turn <= LIMIT_MS ? LIMIT_MS : limitHere(LIMIT_MS)))
  }
  return least
}

describe('converting a long text holds the event loop only for a short time', () => {
  test.each(TEXTS)('%j', (_, text) => {
    expect(leastTurn(text)).toBeLessThanOrEqual(1)
  })

  test('of one repeated piece', () => {
    const slow = [...adversarialTexts(REPEATED_LENGTH, BARE)].filter(
      ({ text }) => !text.endsWith('!') && leastTurn(text) > 1,
    )
    expect(slow.map(({ name }) => name)).toEqual([])
  })
})
