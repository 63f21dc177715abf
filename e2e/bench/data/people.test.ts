import { describe, expect, test } from 'bun:test'
import { parsePhoneNumber } from 'libphonenumber-js/max'
import { parse } from 'tldts'
import { companiesFor, company, numberIn, person } from './people'
import { PLACES } from './words'

const people = Array.from({ length: 3000 }, (_, index) => person(index))
const companies = Array.from({ length: 300 }, (_, index) => company(index))

describe('generated people', () => {
  test('are the same at each run', () => {
    expect(people.map((_, index) => person(index))).toEqual(people)
    expect(person(1)).not.toEqual(person(2))
  })

  test('share no e-mail address', () => {
    const addresses = people.flatMap(({ email_addresses }) => email_addresses)
    expect(new Set(addresses).size).toBe(addresses.length)
    for (const address of addresses) expect(address).toMatch(/^[a-z.]+\.\d+@[a-z0-9-]+\.[a-z]+$/)
  })

  test('have valid phone numbers of their country', () => {
    for (const { phone_numbers, primary_location } of people) {
      const number = parsePhoneNumber(phone_numbers[0] ?? '')
      expect(number.isValid()).toBe(true)
      expect(number.country).toBe(primary_location.country_code as typeof number.country)
    }
  })

  test('have many localities and names', () => {
    expect(new Set(people.map(({ primary_location }) => primary_location.locality)).size).toBe(PLACES.length)
    expect(new Set(people.map(({ name }) => name.full_name)).size).toBeGreaterThan(1000)
  })
})

test('numberIn returns the person of an email address', () => {
  const { email_addresses } = person(20_769)
  expect(email_addresses.map(numberIn)).toEqual(email_addresses.map(() => 20_769))
  expect(numberIn('ada@example.com')).toBe(0)
})

describe('generated companies', () => {
  test('are the same at each run', () => {
    expect(companies.map((_, index) => company(index))).toEqual(companies)
  })

  test('share no domain, and each has a root domain', () => {
    const domains = companies.flatMap(({ domains }) => domains)
    expect(new Set(domains).size).toBe(domains.length)
    for (const domain of domains) expect(parse(domain).domain).toBe(domain)
  })

  test.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [200_000, 20_000],
  ])('companiesFor(%d) is %d', (people, expected) => expect(companiesFor(people)).toBe(expected))
})
