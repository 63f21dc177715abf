import { expect, test } from 'bun:test'
import type { Attribute } from '../../../api/data-model/attributes'
import { defaultOf, textOfDefault } from './defaults'

const withDefault = (default_value: Attribute['default_value']) => ({ default_value }) as Attribute // all that is read

const fixed = (...template: unknown[]) => ({ type: 'static' as const, template })

test.each([
  ['text', 'New', fixed('New')],
  ['number', '2.5', fixed(2.5)],
  ['checkbox', 'true', fixed(true)],
  ['checkbox', 'false', fixed(false)],
  ['option', 'b7c1', fixed('b7c1')],
  ['time', 'P7D', { type: 'dynamic', template: 'P7D' }],
  ['member', 'current-user', { type: 'dynamic', template: 'current-user' }],
  ['text', '  ', null],
] as const)('a default value of the editor %s, written as %j', (editor, text, wire) => {
  expect(defaultOf(editor, text)).toEqual(wire)
})

test.each([
  [null, ''],
  [{ type: 'dynamic' as const, template: 'P1M' }, 'P1M'],
  [fixed({ value: 'New', attribute_type: 'text' }), 'New'],
  [fixed({ value: false, attribute_type: 'checkbox' }), 'false'],
  [fixed({ currency_value: 10, currency_code: 'EUR', attribute_type: 'currency' }), '10'],
  [fixed({ option: 'b7c1', attribute_type: 'select' }), 'b7c1'],
  [fixed({ domain: 'a.com' }, { domain: 'b.com' }), undefined],
])('%j is shown as %j', (wire, text) => {
  expect(textOfDefault(withDefault(wire))).toBe(text)
})
