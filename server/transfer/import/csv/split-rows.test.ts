import { describe, expect, test } from 'bun:test'
import Papa from 'papaparse'
import { splitRows } from './split-rows'

/** Returns the cells of a text that arrives in pieces of this length. */
function cellsOf(text: string, length = text.length || 1, delimiter = ','): readonly (readonly string[])[] | undefined {
  const splitter = splitRows(delimiter)
  const rows = []
  for (let at = 0; at < text.length; at += length) rows.push(...splitter.take(text.slice(at, at + length)))
  const last = splitter.end()
  return last && [...rows, ...last].map(({ cells }) => cells)
}

describe('splitRows', () => {
  const cases: [text: string, rows: string[][]][] = [
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2\n3,4',
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      '"a",b\r\n1,"2"\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      '"a,b","c\r\nd"\n,',
      [
        ['a,b', 'c\r\nd'],
        ['', ''],
      ],
    ],
    ['"a" ,b\n', [['a', 'b']]],
    ['"a" b",c\n', [['a" b', 'c']]],
    ['a"b,"c""d"\n', [['a"b', 'c"d']]],
    ['"",""\n""\n', [['', '']]],
    ['a,"b"', [['a', 'b']]],
    ['a,"b"\r', [['a', 'b']]],
    ['\n\r\n\na\n', [['a']]],
  ]
  test.each(cases)('%j', (text, rows) => {
    for (let length = 1; length <= text.length; length++) expect(cellsOf(text, length)).toEqual(rows)
  })

  test('returns the line on which each row begins', () => {
    const rows = splitRows(',').take('a,b\n"1\n\n1",2\n\n"x",3\n4,4\n')
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 6, 7])
  })

  test.each(['a,"b', 'a,"b\nc,d\n', '"a""', '"a" b\n'])('end() is undefined inside quotes: %j', (text) => {
    for (let length = 1; length <= text.length; length++) expect(cellsOf(text, length)).toBeUndefined()
  })

  test('scans an incomplete row again when it is twice as long', () => {
    const splitter = splitRows(',')
    const taken = ['"1234', '56', '"\n', '9\n'].map((piece) => splitter.take(piece).map(({ cells }) => cells))
    expect(taken).toEqual([[], [], [], [['123456'], ['9']]])
  })

  test('reads the same cells as the library, in pieces of any length', () => {
    const next = numbers(7)
    for (let round = 0; round < 3000; round++) {
      const parts = Array.from({ length: next(24) }, () => PARTS[next(PARTS.length)])
      const text = `h,"i"\n${parts.join('')}\n`
      const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' })
      const expected = errors.some(({ code }) => code === 'MissingQuotes')
        ? undefined
        : data.filter((cells) => cells.length > 1 || cells[0] !== '')
      expect([text, cellsOf(text, 1 + next(9))]).toEqual([text, expected])
    }
  })
})

const PARTS = ['a', 'bc', ',', ',', '\n', '"', '"', '""', ' ', '"x"', '"y,z"', '"\n"']

/** Returns a generator of pseudo-random numbers below a limit, the same for each seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
}
