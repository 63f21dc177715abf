import { describe, expect, test } from 'bun:test'
import { leastCpuTime, limitHere } from '#testing/cpu-time'
import { SqlRefused } from '#engine/sql/compile/source-text'
import { MAX_BYTES, parseCallerText } from './parse-text'

/** The refusal as `message | position`, or `accepted`. */
function outcome(text: string): string {
  try {
    parseCallerText(text)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    return `${error.message} | ${error.position}`
  }
}

const TOO_DEEP = 'The query is nested too deeply. | null'
const TOO_MANY = 'The query has too many words and operators. | null'

describe('parseCallerText', () => {
  test.each([
    ['select 1', 'accepted'],
    ['select 1;', 'accepted'],
    [';; select 1 ; -- the end', 'accepted'],
    ['', 'The query is empty. | null'],
    [' \n\t', 'The query is empty. | null'],
    [';;', 'The query is empty. | null'],
    ['-- nothing', 'The query is empty. | null'],
    ['/* nothing */', 'The query is empty. | null'],
    ['select 1; select 2', 'A request can contain only one query. | 11'],
    ['insert into people values (1)', 'Only SELECT queries are allowed. | 1'],
    ['explain select 1', 'Only SELECT queries are allowed. | 1'],
    ['begin', 'Only SELECT queries are allowed. | 1'],
    ['select 1 +', 'syntax error at end of input | 11'],
    ["select 'ü', frm x y", 'syntax error at or near "y" | 19'],
    ["select '😀' x y", 'syntax error at or near "y" | 14'],
    ["select 'open", 'unterminated quoted string at or near "\'open" | 8'],
    ['select "open', 'unterminated quoted identifier at or near ""open" | 8'],
    ['select $$open', 'unterminated dollar-quoted string at or near "$$open" | 8'],
    ['select /* open', 'unterminated /* comment at or near "/* open" | 8'],
    ['select 1 \0', 'The query contains the character U+0000. | null'],
    ["select '\ud83d'", 'The query contains a part of a character. | null'],
    ['select "" from people', 'zero-length delimited identifier at or near """" | 8'],
  ])('%j: %s', (text, expected) => {
    expect(outcome(text)).toBe(expected)
  })

  test('a text of the greatest length is parsed, a longer one is not', () => {
    const text = (length: number) => `select '${'a'.repeat(length - 9)}'`
    expect(outcome(text(MAX_BYTES))).toBe('accepted')
    expect(outcome(text(MAX_BYTES + 1))).toBe(`The query is longer than ${MAX_BYTES} bytes. | null`)
    expect(outcome(`select '${'ü'.repeat(MAX_BYTES / 2)}'`)).toBe(`The query is longer than ${MAX_BYTES} bytes. | null`)
    expect(outcome('a'.repeat(10_000_000))).toBe(`The query is longer than ${MAX_BYTES} bytes. | null`)
  })

  test('a refusal repeats only the beginning of a long text', () => {
    expect(outcome(`select 1 as "${'a'.repeat(90_000)}" ${'~'.repeat(4000)}`).length).toBeLessThan(300)
    expect(outcome(`select 'open${'a'.repeat(90_000)}`)).toMatch(
      /^unterminated quoted string at or near "'openaaa.*… \| 8$/,
    )
  })

  test('2,000 ids in a list are accepted', () => {
    const ids = Array.from(
      { length: 2000 },
      (_, index) => `'019a0000-0000-4000-8000-${String(index).padStart(12, '0')}'`,
    )
    expect(outcome(`select * from people where record_id in (${ids.join(',')})`)).toBe('accepted')
  })

  const nested: readonly (readonly [name: string, make: (depth: number) => string])[] = [
    ['parentheses', (n) => `select ${'('.repeat(n)}1${')'.repeat(n)}`],
    ['operators', (n) => `select 1${'+1'.repeat(n)}`],
    ['prefix operators', (n) => `select ${'~'.repeat(n)}1`],
    ['prefix operators apart', (n) => `select ${'- '.repeat(n)}1`],
    ['NOT', (n) => `select ${'not '.repeat(n)}true`],
    ['IS NULL', (n) => `select 1${' isnull'.repeat(n)}`],
    ['casts', (n) => `select 1${'::int'.repeat(n)}`],
    ['COLLATE', (n) => `select ''${' collate "C"'.repeat(n)}`],
    ['AT TIME ZONE', (n) => `select 1${' at local'.repeat(n)}`],
    ['CASE', (n) => `select ${'case when true then '.repeat(n)}1${' end'.repeat(n)}`],
    ['calls', (n) => `select ${'lower('.repeat(n)}''${')'.repeat(n)}`],
    ['arrays', (n) => `select ${'array['.repeat(n)}1${']'.repeat(n)}`],
    ['subqueries', (n) => `select ${'(select '.repeat(n)}1${')'.repeat(n)}`],
    ['subqueries in FROM', (n) => `select * from ${'(select * from '.repeat(n)}a${') x'.repeat(n)}`],
    ['joins', (n) => `select * from a${' cross join a'.repeat(n)}`],
    ['UNION', (n) => `select 1${' union select 1'.repeat(n)}`],
    ['TABLE', (n) => `table a${' union table a'.repeat(n)}`],
    ['WITH', (n) => `${'with x as ('.repeat(n)}select 1${') select 1'.repeat(n)}`],
  ]

  test.each(nested)('10,000 nested %s are refused before they are parsed, 20 are accepted', (_name, make) => {
    expect(outcome(make(20))).toBe('accepted')
    expect([TOO_MANY, `The query is longer than ${MAX_BYTES} bytes. | null`]).toContain(outcome(make(10_000)))
  })

  test.each(nested)('as many nested %s as the number of tokens allows do not end the parser', (_name, make) => {
    const most = Array.from({ length: 13 }, (_, power) => 2 ** power).filter(
      (depth) => outcome(make(depth)) !== TOO_MANY,
    )
    expect(outcome(make(Math.max(...most)))).toMatch(
      /^(?:accepted|The query is nested|memory exhausted|operator too long)/,
    )
    expect(outcome('select 1')).toBe('accepted')
  })

  test('chains of 1,000 operators are refused', () => {
    expect(outcome(`select 1${'+1'.repeat(1000)}`)).toBe(TOO_DEEP)
    expect(outcome(`select 1${' union select 1'.repeat(1000)}`)).toBe('accepted')
  })

  test.each([
    ['numbers', `select 1 in (${'1,'.repeat(4900)}1)`],
    ['columns', `select ${'name,'.repeat(4900)}name from people`],
    ['one string', `select '${'a'.repeat(99_000)}'`],
    ['quotes', `select ${"''".repeat(2000)}`],
    ['white space', `select${' \n'.repeat(49_000)}1`],
    ['comments', `select ${'/**/'.repeat(1000)}1`],
    ['words of no query', 'a '.repeat(4900)],
    ['commas', ','.repeat(99_000)],
    ['beginnings of ids', "'00000000-0000-".repeat(600)],
  ])('100,000 bytes of %s take less than 50 ms', (_name, text) => {
    const limit = limitHere(50)
    expect(leastCpuTime(() => outcome(text), limit)).toBeLessThan(limit)
  })
})
