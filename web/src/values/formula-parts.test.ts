import { expect, test } from 'bun:test'
import { formulaParts } from './formula-parts'

const SLUGS = new Set(['value', 'order', 'name', 'left', 'net-value'])

const named = (formula: string) =>
  formulaParts(formula, SLUGS).flatMap((part) =>
    typeof part === 'string' ? [] : [part.field === undefined ? part.slug : `${part.slug}.${part.field}`],
  )

test.each([
  ['value * 2', ['value']],
  ['"order" + Value', ['order', 'value']],
  ['name.last_name || name . first_name', ['name.last_name', 'name.first_name']],
  ["left(name.last_name, 2) || 'value' || 'it''s value' -- value", ['name.last_name']],
  ['/* value */ "net-value" + 1e5', ['net-value']],
  ['other + values', []],
  ['/* value * 2, /* name */ not "order" and it\'s */ value', ['value']],
  ['/***/ value /* left', ['value']],
])('%s names %p', (formula, expected) => {
  expect(named(formula)).toEqual(expected)
  const text = formulaParts(formula, SLUGS).map((part) => (typeof part === 'string' ? part : part.text))
  expect(text.join('')).toBe(formula)
})
