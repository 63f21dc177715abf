import { describe, expect, test } from 'bun:test'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { Value, Values } from '../../../../api/records/entities'
import { keyAttributes } from './key-attributes'

// Only the members that are read.
const attribute = (api_slug: string, rules: Partial<Attribute> = {}) =>
  ({ api_slug, type: 'text', is_archived: false, is_writable: true, is_system_attribute: false, ...rules }) as Attribute

const valuesOf = (slugs: readonly string[]): Values => Object.fromEntries(slugs.map((slug) => [slug, [{} as Value]]))

const keysOf = (objectSlug: string, attributes: readonly Attribute[], valued: readonly string[]) =>
  keyAttributes({ kind: 'objects', slug: objectSlug }, attributes, valuesOf(valued)).map(({ api_slug }) => api_slug)

describe('key attributes', () => {
  const people = ['name', 'description', 'email_addresses', 'job_title', 'company'].map((slug) => attribute(slug))
  const own = ['name', 'a', 'b', 'c', 'd', 'e'].map((slug) => attribute(slug))

  test.each([
    [
      'of a standard object in their order',
      'people',
      people,
      ['name', 'job_title', 'company'],
      ['company', 'job_title'],
    ],
    ['none without values', 'people', people, ['name', 'description'], []],
    [
      'of a custom object, the first that have values',
      'rockets',
      own,
      ['name', 'b', 'c', 'd', 'e', 'a'],
      ['a', 'b', 'c', 'd'],
    ],
    ['no archived ones', 'rockets', [attribute('name'), attribute('a', { is_archived: true })], ['name', 'a'], []],
    ['none that the service writes', 'rockets', [attribute('name'), attribute('a', { is_writable: false })], ['a'], []],
  ])('%s', (_, objectSlug, attributes, valued, keys) => {
    expect(keysOf(objectSlug, attributes, valued)).toEqual(keys)
  })
})
