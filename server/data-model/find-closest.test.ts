import { describe, expect, test } from 'bun:test'
import { closest } from './find-closest'

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
  ])('%s was probably meant as %s', (word, meant) => {
    expect(closest(word, slugs)).toBe(meant)
  })

  test.each(['', 'zzz', 'favourite_colour', 'x'.repeat(10_000)])('no candidate for %p', (word) => {
    expect(closest(word, slugs)).toBeUndefined()
  })

  test('no candidate from an empty list', () => {
    expect(closest('name', [])).toBeUndefined()
  })
})
