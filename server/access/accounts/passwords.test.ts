import { expect, test } from 'bun:test'
import { passwordProblem } from './passwords'

const cases: [password: string, weakness: string | undefined][] = [
  ['correct horse', undefined],
  ['0123456789abc', undefined],
  ['ünïcödé päss', undefined],
  ['x'.repeat(3) + 'yz'.repeat(400), undefined],
  ['', 'at least 10'],
  ['123456789', 'at least 10'],
  ['😀😀😀😀😀', 'at least 10'],
  ['abc'.repeat(334), 'at most 1000'],
  ['1234567890', 'too common'],
  ['PassWord123', 'too common'],
  ['aaaaaaaaaaaa', 'too common'],
  ['abababababab', 'too common'],
  ['Ada.Lovelace@Example.com', 'email address'],
  ['ada.lovelace', 'email address'],
]

test.each(cases)('%s', (password, weakness) => {
  const found = passwordProblem(password, 'ada.lovelace@example.com')
  if (weakness === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(weakness)
})
