import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDatabase, type TestDatabase } from '../testing/database'
import { handleOf, wordsOf } from './words'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

async function wordsInDatabase(texts: readonly string[]): Promise<string[][]> {
  const rows = await database.db.sql<{ words: string }[]>`
    select relata.search_words(text) as words from json_array_elements_text(${JSON.stringify(texts)}::text::json) text`
  return rows.map(({ words }) => words.split(' ').filter((word) => word !== ''))
}

const CASES: [string, string[]][] = [
  ['Ada Lovelace', ['ada', 'lovelace']],
  ['  ', []],
  ['Élodie DUPRÉ', ['elodie', 'dupre']],
  ['Straße, groß', ['strasse', 'gross']],
  ['STRAẞE', ['strasse']],
  ['Øystein Æther Łukasz Đỗ Þór', ['oystein', 'aether', 'lukasz', 'do', 'thor']],
  ["O'Brien O’Neill", ['obrien', 'oneill']],
  ['Jean-Luc', ['jean', 'luc']],
  ['a.b+c@d_e.co.uk', ['a', 'b', 'c', 'd', 'e', 'co', 'uk']],
  ['İstanbul ısı', ['istanbul', 'isi']],
  ['ΟΔΥΣΣΕΥΣ', ['οδυσσευσ']],
  ['Иван Ёлкин', ['иван', 'елкин']],
  ['田中 太郎、株式会社', ['田中', '太郎', '株式会社']],
  ['Won 🎉 deal', ['won', '🎉', 'deal']],
  ['ﬁne ２０', ['fine', '20']],
  ['a\tb\nc\u00a0d—e “f”', ['a', 'b', 'c', 'd', 'e', 'f']],
  ["'; drop table x; -- \\ & | ! :* <->", ['drop', 'table', 'x']],
  ['100% (50_000)', ['100', '50', '000']],
]

describe('words', () => {
  test.each(CASES)('of %j', async (text, words) => {
    expect(wordsOf(text)).toEqual(words)
    expect(await wordsInDatabase([text])).toEqual([words])
  })

  test('are the same in the database, whatever the text', async () => {
    // Newer letters have capitals in some versions of Unicode only.
    const ranges = [[0x01, 0x17ff], [0x1e00, 0x24ff], [0x3000, 0x30ff], [0x4e00, 0x9fff], [0xff00, 0xffef], [0x1f300, 0x1f6ff]] // prettier-ignore
    const sign = fc
      .oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
      .map((point) => String.fromCodePoint(point))
    const texts = fc.sample(fc.string({ unit: sign, maxLength: 40 }), { numRuns: 2000, seed: 1 })
    const inDatabase = await wordsInDatabase(texts)
    for (const [index, text] of texts.entries()) expect([text, wordsOf(text)]).toEqual([text, inDatabase[index]!])
  })

  test('are cut where they are endless', () => {
    expect(wordsOf('x'.repeat(1000))).toEqual(['x'.repeat(250)])
  })
})

describe('the words of anything', () => {
  const HUGE = 'x'.repeat(1_000_000)
  const texts: [string, unknown[]][] = [
    ['nothing', [null, null, null, null]],
    ['empty arrays', ['', [], [], []]],
    ['one endless word', [HUGE, null, null, null]],
    ['letters that become many', ['\u3316'.repeat(600), null, null, null]],
    ['signs of four bytes', ['😀'.repeat(600), null, null, null]],
    [
      'endless addresses',
      [null, Array.from({ length: 300 }, (_, index) => `${index}${'a'.repeat(200)}@b.de`), null, null],
    ],
    ['endless handles', [null, null, Array.from({ length: 30 }, () => `https://x.com/${HUGE}`), null]],
    ['many numbers', [null, null, null, Array.from({ length: 500 }, (_, index) => `+42190123${1000 + index}`)]],
  ]
  test.each(texts)('fit an index: %s', async (_, [label, keys, handles, numbers]) => {
    const asArray = (texts: unknown) => (texts === null ? null : (texts as string[]))
    const [row] = await database.db.sql<{ size: number }[]>`
      select pg_column_size(relata.search_entries(${label as string | null}, ${asArray(keys)}::text[],
        ${asArray(handles)}::text[], ${asArray(numbers)}::text[])) as size`
    expect(row!.size).toBeGreaterThan(0)
  })
})

describe('pairs of words of a label', () => {
  test.each([
    ['ada lovelace', ['ada+lov']],
    ['ada', []],
    ['', []],
    ['li wei', []],
    ['ada king of lovelace', ['ada+kin', 'ada+lov', 'kin+lov']],
    ['one two three four five', ['one+two', 'one+thr', 'two+thr', 'one+fou', 'two+fou', 'thr+fou']],
    ['田中太郎 株式会社', ['田中太+株式会']],
  ])('%j: %j', async (words, pairs) => {
    const [row] = await database.db.sql<{ found: string }[]>`select relata.search_pairs(${words}) as found`
    expect(row!.found.split(' ').filter((pair) => pair !== '')).toEqual(pairs)
  })
})

describe('a handle', () => {
  test.each([
    ['ada', 'ada'],
    ['@ada', '@ada'],
    ['https://www.linkedin.com/in/ada-l', 'ada-l'],
    ['linkedin.com/in/ada-l/', 'ada-l'],
    ['', ''],
  ])('%j is %j', (text, handle) => expect(handleOf(text)).toBe(handle))
})
