/** The comparison of a response with the one that a page shows. */

import { describe, expect, test } from 'bun:test'
import { readExamples } from './examples'
import { differences, replaceNames } from './placeholders'

const ID = '01a202eb-b7b0-428a-ad71-2695079a0c74'
const fits = (expected: unknown, actual: unknown, named = new Map<string, string>()) =>
  differences(expected, actual, named).length === 0

describe('a response matches', () => {
  test.each([
    [{ a: 1 }, { a: 1 }],
    ['<id>', ID],
    ['<time>', '2026-11-22T11:02:12.144459000Z'],
    ['<number>', 3],
    [
      { a: 1, '…': '…' },
      { a: 1, b: 2 },
    ],
    [
      [1, '…'],
      [1, 2, 3],
    ],
    [['…'], []],
  ])('%j: %j', (expected, actual) => expect(fits(expected, actual)).toBe(true))
})

describe('a response does not match', () => {
  test.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 1, '…': '…' }, { b: 2 }],
    ['<id>', 'no id'],
    ['<time>', '2026-11-22T11:02:12Z'],
    [[1], [1, 2]],
    [[1, 2, '…'], [1]],
    [null, undefined],
    [{}, null],
  ])('%j: %j', (expected, actual) => expect(fits(expected, actual)).toBe(false))
})

test('a placeholder has the value of its first match in all later texts', () => {
  const named = new Map<string, string>()
  expect(fits({ id: '<id: ada>', again: 'Record "<ada>"' }, { id: ID, again: `Record "${ID}"` }, named)).toBe(true)
  expect(replaceNames('/records/<ada>', named)).toBe(`/records/${ID}`)
  expect(() => replaceNames('/records/<bob>', named)).toThrow('<bob>')
})

test('an example has a request and its response', () => {
  const request = '```http\nPOST /a\nX: 1\n\n{"b": 2}\n```\n'
  const answer = '```http\nHTTP/1.1 200 OK\n\n{}\n```\n'
  expect(readExamples(`# Page\n\n${request}\n${answer}`)).toEqual([
    {
      line: 3,
      request: { method: 'POST', path: '/a', headers: { X: '1' }, body: '{"b": 2}', isEventual: false },
      answer: { status: 200, headers: {}, body: '{}' },
    },
  ])
  expect(() => readExamples(request)).toThrow('followed')
  expect(() => readExamples(answer + request)).toThrow('followed')
})
