import { describe, expect, test } from 'bun:test'
import { editDistances, findClosest } from './find-closest'

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

describe('editDistances', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'abd', 1],
    ['abc', 'abcd', 1],
    ['abc', 'bc', 1],
    ['nmae', 'name', 1],
    ['kitten', 'sitting', 3],
  ])('%j to %j: %d', (from, to, distance) => {
    expect(editDistances(from, to).at(-1)).toBe(distance)
  })

  test('has one distance for each prefix, also of characters of two units', () => {
    expect(editDistances('ab', 'abc')).toEqual([2, 1, 0, 1])
    expect(editDistances([...'🎉x'], [...'🎉y'])).toEqual([2, 1, 1])
  })
})
