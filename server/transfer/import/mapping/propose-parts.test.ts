import { expect, test } from 'bun:test'
import { attribute } from '#engine/attribute-types/testing/sample-model'
import { renderTarget } from './mapping'
import { proposeParts } from './propose-mapping'

const location = (api_slug: string, title = api_slug) => ({ ...attribute('location'), api_slug, title })
const context = (...writable: ReturnType<typeof location>[]) => ({
  writable: [...writable, attribute('text')],
  isTaken: (slug: string) => slug === 'taken',
  nextFree: (slug: string) => `${slug}_new`,
})
const propose = (names: readonly string[], ...writable: ReturnType<typeof location>[]) =>
  Object.fromEntries(
    [...proposeParts(names, context(...writable))].map(([name, target]) => [name, renderTarget(target)]),
  )

test('the columns of one address go to one attribute, those without a qualifier too', () => {
  expect(
    propose(
      ['Name', 'City (HQ)', 'State / Region (HQ)', 'Country (HQ)', 'Street', 'Zip'],
      location('primary_location'),
    ),
  ).toEqual({
    'City (HQ)': 'primary_location.locality',
    'State / Region (HQ)': 'primary_location.region',
    'Country (HQ)': 'primary_location.country_code',
    Street: 'primary_location.line_1',
    Zip: 'primary_location.postcode',
  })
})

test('without such an attribute, a new one is proposed', () => {
  expect(propose(['Billing city', 'Billing country'])).toEqual({
    'Billing city': 'billing_address_new.locality:location',
    'Billing country': 'billing_address_new.country_code:location',
  })
  expect(propose(['City', 'Zip'], location('taken'))).toEqual({
    City: 'address_new.locality:location',
    Zip: 'address_new.postcode:location',
  })
})

test('two addresses go to two attributes, each to the one with its name', () => {
  const names = ['Billing city', 'Billing zip', 'Shipping city', 'Shipping zip']
  expect(propose(names, location('x', 'Shipping address'), location('y', 'Billing address'))).toEqual({
    'Billing city': 'y.locality',
    'Billing zip': 'y.postcode',
    'Shipping city': 'x.locality',
    'Shipping zip': 'x.postcode',
  })
})

test('a single part, and the second column of a part, are not proposed', () => {
  expect(propose(['State'], location('place'))).toEqual({})
  expect(propose(['City', 'Town', 'Zip'], location('place'))).toEqual({
    City: 'place.locality',
    Zip: 'place.postcode',
  })
})
