import { expect, test } from 'bun:test'
import { readTable } from './read-table'

test.each([
  ['commas and quotes', 'a,b\r\n"x, ""y""",2\r\n', false, ['a', 'b'], [['x, "y"', '2']]],
  ['semicolons, with a byte order mark', '\uFEFFa;b\n1,5;2\n', false, ['a', 'b'], [['1,5', '2']]],
  ['tabs', 'a\tb\n1\t2', false, ['a', 'b'], [['1', '2']]],
  ['a cut text, whose last row may lack something', 'a,b\n1,2\n3', true, ['a', 'b'], [['1', '2']]],
  ['rows of other lengths', 'a,b\n1', false, ['a', 'b'], [['1', '']]],
  ['nothing', '', false, [''], []],
] as const)('%s', (_, text, isCut, header, rows) => {
  const table = readTable(text, isCut)
  expect([table.header, table.rows]).toEqual([[...header], rows.map((cells) => [...cells])])
})
