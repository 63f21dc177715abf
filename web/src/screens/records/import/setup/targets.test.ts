import { expect, test } from 'bun:test'
import { freeSlug, newTarget, readNew } from './targets'

test.each([
  ['stage:select', { slug: 'stage', type: 'select', isMultiselect: false, currency: undefined }],
  ['tags:select[]', { slug: 'tags', type: 'select', isMultiselect: true, currency: undefined }],
  ['budget:currency(EUR)', { slug: 'budget', type: 'currency', isMultiselect: false, currency: 'EUR' }],
  ['mail:email-address[]', { slug: 'mail', type: 'email-address', isMultiselect: true, currency: undefined }],
])('%s is an attribute to be made', (target, attribute) => {
  expect(readNew(target)).toEqual(attribute)
  expect(newTarget(attribute)).toBe(target)
})

test.each(['name', 'primary_location.locality', 'skip'])('%s is none', (target) => {
  expect(readNew(target)).toBeUndefined()
})

test.each([
  ['stage', [], 'stage'],
  ['stage', ['stage'], 'stage_2'],
  ['stage', ['stage', 'stage_2'], 'stage_3'],
  ['', [], 'column'],
])('"%s" beside %j becomes %s', (wanted, taken, slug) => {
  expect(freeSlug(wanted, new Set(taken))).toBe(slug)
})
