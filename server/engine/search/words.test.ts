import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDatabase, type TestDatabase } from '#testing/database'
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

  test('of 2,000 random texts are the same in the database', async () => {
    // Newer letters have upper case only in some versions of Unicode.
    const ranges = [[0x01, 0x17ff], [0x1e00, 0x24ff], [0x3000, 0x30ff], [0x4e00, 0x9fff], [0xff00, 0xffef], [0x1f300, 0x1f6ff]] // prettier-ignore
    const sign = fc
      .oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
      .map((point) => String.fromCodePoint(point))
    const texts = fc.sample(fc.string({ unit: sign, maxLength: 40 }), { numRuns: 2000, seed: 1 })
    const inDatabase = await wordsInDatabase(texts)
    for (const [index, text] of texts.entries()) expect([text, wordsOf(text)]).toEqual([text, inDatabase[index]!])
  })

  test('are cut to 250 characters', () => {
    expect(wordsOf('x'.repeat(1000))).toEqual(['x'.repeat(250)])
  })
})

// PostgreSQL takes n² steps to normalise a run of n combining marks.
describe('the words of a text of any length', () => {
  const ACCENTS = '\u0301\u0316'.repeat(10_000)
  const POINTS = '\u05b0\u05bd'.repeat(10_000)
  test('are found in spite of a long run of accents', async () => {
    const text = `Ze${ACCENTS}ro one`
    expect(wordsOf(text)).toEqual(['zero', 'one'])
    expect(await wordsInDatabase([text])).toEqual([['zero', 'one']])
  })

  test('are found in the first 500 characters of a text without separators', async () => {
    const text = `${POINTS}א two`
    const [points, two] = wordsOf(text)
    expect([points?.length, two]).toEqual([250, 'two'])
    const [words] = await wordsInDatabase([text])
    expect([words?.[0]?.length, words?.[1]]).toEqual([500, 'two'])
  })

  test('are found in its first 30,000 characters', async () => {
    const text = `${'ä b '.repeat(7500)}behind`
    expect(new Set(wordsOf(text))).toEqual(new Set(['a', 'b']))
    const [words] = await wordsInDatabase([text])
    expect(new Set(words)).toEqual(new Set(['a', 'b']))
  })

  test('of a handle are found in its first 250 characters', async () => {
    const handle = `https://x.com/ada-${'l'.repeat(1000)}`
    const [row] = await database.db.sql<
      { handles: string }[]
    >`select relata.search_handles(array[${handle}]) as handles`
    expect(row!.handles).toBe(` ada-${'l'.repeat(232)}`)
    expect(handleOf(handle)).toBe(`ada-${'l'.repeat(232)}`)
  })
})

describe('the lexemes of a record', () => {
  const HUGE = 'x'.repeat(1_000_000)
  const texts: [string, unknown[]][] = [
    ['no text', [null, null, null, null]],
    ['empty arrays', ['', [], [], []]],
    ['one endless word', [HUGE, null, null, null]],
    ['letters that become several', ['\u3316'.repeat(600), null, null, null]],
    ['signs of four bytes', ['😀'.repeat(600), null, null, null]],
    [
      'endless addresses',
      [null, Array.from({ length: 300 }, (_, index) => `${index}${'a'.repeat(200)}@b.de`), null, null],
    ],
    ['endless accents', [`e${'\u0301\u0316'.repeat(200_000)}`, [`e${'\u0301\u0316'.repeat(200_000)}`], null, null]],
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
