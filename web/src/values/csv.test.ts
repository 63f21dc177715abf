import { expect, test } from 'bun:test'
import { csvLine } from './csv'

test.each([
  [['a', 'b'], 'a,b'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"'],
  [['', ''], ','],
  [['=1+1', '@x', '-a', '+cmd'], "'=1+1,'@x,'-a,'+cmd"],
  [['-12.5', '+14155550100'], '-12.5,+14155550100'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`)
})
