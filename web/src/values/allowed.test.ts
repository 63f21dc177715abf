import { expect, test } from 'bun:test'
import { CURRENCY_CODES } from '#engine/attribute-types/data/currency-codes'
import { attributeType } from '#engine/attribute-types/registry'
import { TYPE_NAMES } from '#engine/data-model/model'
import { ALLOWED } from './allowed'
import { CURRENCIES } from './currencies'

test.each([...TYPE_NAMES])('%s allows the same flags as in the service', (type) => {
  const { multiselect, unique, create } = attributeType(type).allows
  expect(ALLOWED[type]).toEqual({ multiselect, unique, create })
})

test('the currencies are those of the service', () => {
  expect([...CURRENCIES].sort()).toEqual([...CURRENCY_CODES].sort())
})
