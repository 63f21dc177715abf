import { describe, expect, test } from 'bun:test'
import { findClosest } from './find-closest'

describe('closest', () => {
  const slugs = ['name', 'email_addresses', 'phone_numbers', 'company', 'description']

  test.each([
    ['email_adresses', 'email_addresses'],
    ['emailaddresses', 'email_addresses'],
    ['Name', 'name'],
    ['nmae', 'name'],
    ['companies', 'company'],
    ['descripton', 'description'],
    ['phone_number', 'phone_numbers'],
    ['email', 'email_addresses'],
    ['Phone', 'phone_numbers'],
  ])('%s is closest to %s', (word, meant) => {
    expect(findClosest(word, slugs)).toBe(meant)
  })

  test.each(['', 'zzz', 'em', 'favourite_colour', 'x'.repeat(10_000)])('no candidate for %p', (word) => {
    expect(findClosest(word, slugs)).toBeUndefined()
  })

  test('no candidate from an empty list', () => {
    expect(findClosest('name', [])).toBeUndefined()
  })
})
