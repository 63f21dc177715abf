import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { readCsv } from './csv'

/** Reads a file that arrives in these pieces. */
const read = async (pieces: readonly (string | Buffer)[], delimiter = ',') => {
  const bytes = pieces.map((piece) => Buffer.from(piece))
  const rows: { line: number; cells: readonly string[] }[] = []
  for await (const row of readCsv({ delimiter, open: () => Readable.from(bytes) })) rows.push(row)
  return rows
}
const cellsOf = async (text: string, delimiter?: string) => (await read([text], delimiter)).map(({ cells }) => cells)

describe('a row that is too wide', () => {
  test.each([
    ['plain', '1,'.repeat(5000)],
    ['with quotes', '"1",'.repeat(5000)],
    ['with a quote inside', `a"b,${'1,'.repeat(5000)}`],
  ])('is cut after the first surplus cell: %s', async (_, row) => {
    const [first, second] = await cellsOf(`${row}\nx,y`)
    expect([first?.length, second]).toEqual([1001, ['x', 'y']])
  })
})

describe('readCsv', () => {
  const files: [what: string, text: string, rows: string[][]][] = [
    [
      'lines ending in LF',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'lines ending in CRLF, the last one open',
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'lines ending in CR, with quotes',
      'a,b\r1,"2, 3"\r4,',
      [
        ['a', 'b'],
        ['1', '2, 3'],
        ['4', ''],
      ],
    ],
    [
      'CR within the cells of lines ending in LF',
      'a,b\n"1\r2",3\n',
      [
        ['a', 'b'],
        ['1\r2', '3'],
      ],
    ],
    [
      'a byte order mark',
      '\ufeffa,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'quotes, doubled quotes and breaks in cells',
      'a,"b ""c"""\n"1\n2",3',
      [
        ['a', 'b "c"'],
        ['1\n2', '3'],
      ],
    ],
    [
      'quotes within unquoted cells',
      'a,b\n5" pipe,2',
      [
        ['a', 'b'],
        ['5" pipe', '2'],
      ],
    ],
    ['rows of other widths', 'a,b\n1\n1,2,3', [['a', 'b'], ['1'], ['1', '2', '3']]],
    [
      'lines without a character',
      'a,b\n\n1,2\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['an empty text', '', []],
  ]
  test.each(files)('reads %s', async (_, text, rows) => {
    expect(await cellsOf(text)).toEqual(rows)
  })

  test('reads other delimiters', async () => {
    expect(await cellsOf('a;b,c\n1;2', ';')).toEqual([
      ['a', 'b,c'],
      ['1', '2'],
    ])
  })

  test('returns the line on which each row begins', async () => {
    const rows = await read(['a,b\n"1\n\n1",2\n\n3,4\n'])
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 6])
  })

  test('joins pieces that end within quotes or within a character', async () => {
    const text = Buffer.from('name,note\nZoë,"a ""b""\nc"\nÅsa,d\n')
    for (let cut = 1; cut < text.length; cut++) {
      const rows = await read([text.subarray(0, cut), text.subarray(cut)])
      expect(rows.map(({ cells }) => cells)).toEqual([
        ['name', 'note'],
        ['Zoë', 'a "b"\nc'],
        ['Åsa', 'd'],
      ])
    }
  })

  test('refuses a binary file', async () => {
    await expect(read([Buffer.from('a,b\n1,2\n', 'utf16le')])).rejects.toThrow('The file is not a text')
    await expect(read(['a,b\n', '1,2\n', '\0,2\n'])).rejects.toThrow('The file is not a text')
  })

  test('refuses a quote that is never closed, at the end or after 16 MB', async () => {
    await expect(read(['a,b\n1,"2\n3,4\n'])).rejects.toThrow('The file ends inside quotes')
    const endless = [Buffer.from('a,b\n1,"'), ...Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, 'x\n'))]
    await expect(read(endless)).rejects.toThrow('longer than 16 MB')
  })
})
