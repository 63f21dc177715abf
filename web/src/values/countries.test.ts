import { expect, test } from 'bun:test'
import { COUNTRY_CODES as OF_THE_SERVICE } from '#engine/attribute-types/data/country-codes'
import { COUNTRY_CODES } from './countries'

test('the countries are those of the service', () => {
  expect([...COUNTRY_CODES].sort()).toEqual([...OF_THE_SERVICE].sort())
})
