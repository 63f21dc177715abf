import { expect, test } from 'bun:test'
import { excerpt } from './csv-line'

test.each([
  ['', ''],
  ['a'.repeat(200), 'a'.repeat(200)],
  ['a'.repeat(201), `${'a'.repeat(200)}…`],
  [`${'a'.repeat(199)}😀`, `${'a'.repeat(199)}…`],
])('excerpt %#', (text, expected) => expect(excerpt(text)).toBe(expected))
