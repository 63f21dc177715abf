import { expect, test } from 'bun:test'
import { freeSlug, newTarget, partTargets, readNew } from './targets'

test.each([
  ['stage:select', { slug: 'stage', type: 'select', isMultiselect: false, currency: undefined }],
  ['tags:select[]', { slug: 'tags', type: 'select', isMultiselect: true, currency: undefined }],
  ['budget:currency(EUR)', { slug: 'budget', type: 'currency', isMultiselect: false, currency: 'EUR' }],
  [
    'office.locality:location',
    { slug: 'office', part: 'locality', type: 'location', isMultiselect: false, currency: undefined },
  ],
  ['mail:email-address[]', { slug: 'mail', type: 'email-address', isMultiselect: true, currency: undefined }],
])('%s is an attribute to be made', (target, attribute) => {
  expect(readNew(target)).toEqual(attribute)
  expect(newTarget(attribute)).toBe(target)
})

test.each(['name', 'primary_location.locality', 'skip'])('%s is none', (target) => {
  expect(readNew(target)).toBeUndefined()
})

test('the parts of new attributes are targets, once for each attribute', () => {
  const targets = ['office.city:location', 'office.zip:location', 'stage:select', 'name']
  const found = partTargets(targets, (type) => (type === 'location' ? ['city', 'zip'] : []))
  expect(found.map(({ target }) => target)).toEqual(['office.city:location', 'office.zip:location'])
})

test.each([
  ['stage', [], 'stage'],
  ['stage', ['stage'], 'stage_2'],
  ['stage', ['stage', 'stage_2'], 'stage_3'],
  ['', [], 'column'],
])('"%s" beside %j becomes %s', (wanted, taken, slug) => {
  expect(freeSlug(wanted, new Set(taken))).toBe(slug)
})
