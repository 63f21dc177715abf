import { describe, expect, test } from 'bun:test'
import { htmlOf, readTsv, tsvOf } from './tsv'

describe('readTsv', () => {
  test.each([
    ['one', [['one']]],
    ['', [['']]],
    [
      'a\tb\nc\td',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a\t\n\tb',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['a\t', [['a', '']]],
    ['a\n\nb', [['a'], [''], ['b']]],
    [
      'a\nb\tc',
      [
        ['a', ''],
        ['b', 'c'],
      ],
    ],
    ['"x\ty"\t"say ""hi"""', [['x\ty', 'say "hi"']]],
    ['"two\nlines"\nnext', [['two\nlines'], ['next']]],
    ['"open\tb', [['"open', 'b']]],
    ['5" pipe\tb', [['5" pipe', 'b']]],
  ])('reads %j', (text, rows) => {
    expect(readTsv(text)).toEqual(rows)
  })

  test('reads what tsvOf writes', () => {
    const rows = [
      ['a', 'b\tc', 'd\ne'],
      ['"', '', 'é'],
    ]
    expect(readTsv(tsvOf(rows))).toEqual(rows)
  })
})

test('htmlOf escapes the text', () => {
  expect(htmlOf([['<b>&"']])).toBe('<table><tr><td>&lt;b&gt;&amp;&quot;</td></tr></table>')
})
