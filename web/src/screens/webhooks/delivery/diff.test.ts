import { expect, test } from 'bun:test'
import { diffLines } from './diff'

const CASES: [before: string, after: string, lines: string][] = [
  ['a', 'a', ' a'],
  ['a\nb', 'a\nc', ' a|-b|+c'],
  ['a\nb\nc', 'a\nc', ' a|-b| c'],
  ['a\nc', 'a\nb\nc', ' a|+b| c'],
  ['', 'a', '-|+a'],
  ['x\na\nb', 'a\nb\ny', '-x| a| b|+y'],
]

const SIGNS = { same: ' ', gone: '-', new: '+' }

test.each(CASES)('%j to %j', (before, after, lines) => {
  expect(
    diffLines(before, after)
      .map(({ kind, text }) => SIGNS[kind] + text)
      .join('|'),
  ).toBe(lines)
})
