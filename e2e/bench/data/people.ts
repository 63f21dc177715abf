/**
 * Generates people and companies as values of the API. The same number always makes the same one, and no two share an email
 * address or a domain.
 */

import { randomFrom, type Random } from './random'
import {
  BUSINESSES,
  CATEGORIES,
  COMPANY_WORDS,
  FIELDS,
  FIRST_NAMES,
  INDUSTRIES,
  LAST_NAMES,
  LEAD_STATUSES,
  PLACES,
  RARE_LAST_NAME,
  SENIORITIES,
  TOPICS,
  type Place,
} from './words'

export const PEOPLE_PER_COMPANY = 10

/** Returns the number of companies for this number of people. */
export const companiesFor = (people: number): number => Math.max(1, Math.ceil(people / PEOPLE_PER_COMPANY))

export function company(index: number) {
  const random = randomFrom(index * 2)
  const [word, business, place] = [random.one(COMPANY_WORDS), random.one(BUSINESSES), random.one(PLACES)]
  return {
    name: `${word} ${business}`,
    domains: [domainOf(index)],
    description: `${word} ${business} of ${place.locality} ${random.one(TOPICS)}.`,
    categories: [random.one(CATEGORIES)],
    primary_location: location(place, random),
    linkedin: `https://www.linkedin.com/company/${slug(word)}-${index}`,
  }
}

/** The values of the attributes that the bench adds. */
export const industry = (companyIndex: number): string => randomFrom(companyIndex * 2 + 2e9).one(INDUSTRIES)
export const leadStatus = (index: number): string => randomFrom(index * 2 + 3e9).one(LEAD_STATUSES)
export const leadValue = (index: number): string => `${randomFrom(index * 2 + 4e9).below(10_000_000) / 100}`

/** Whether the person is one of twenty with a rare name, in workspaces of every size. */
const isRare = (index: number): boolean => index % 500 === 250 && index < 10_000

/** Returns the values of a person without the company, whose record id is not known here. */
export function person(index: number) {
  const random = randomFrom(index * 2 + 1)
  const [first_name, common, place] = [random.one(FIRST_NAMES), random.one(LAST_NAMES), random.one(PLACES)]
  const last_name = isRare(index) ? RARE_LAST_NAME : common
  const handle = `${slug(first_name)}.${slug(last_name)}.${index}`
  const work = `${handle}@${domainOf(Math.floor(index / PEOPLE_PER_COMPANY))}`
  return {
    name: { first_name, last_name, full_name: `${first_name} ${last_name}` },
    email_addresses: random.below(2) === 0 ? [work] : [work, `${handle}@example.com`],
    description: `${first_name} ${random.one(TOPICS)} and ${random.one(TOPICS)}.`,
    job_title: jobTitle(random),
    phone_numbers: [phoneNumber(place, random)],
    primary_location: location(place, random),
    linkedin: `https://www.linkedin.com/in/${handle}`,
    twitter: `https://twitter.com/${handle}`,
    facebook: `https://www.facebook.com/${handle}`,
    instagram: `https://www.instagram.com/${handle}`,
    angellist: `https://angel.co/u/${handle}`,
  }
}

/** Returns the number of the person with this email address; 0 for an address that was not generated here. */
export const numberIn = (email: string): number => Number(/\.(\d+)@/.exec(email)?.[1] ?? 0)

export const jobTitle = (random: Random): string => random.one(SENIORITIES) + random.one(FIELDS)

const domainOf = (index: number): string => {
  const random = randomFrom(index * 2)
  return `${slug(random.one(COMPANY_WORDS))}-${index}.${random.one(['com', 'io', 'net', 'co'])}`
}

/** All places have seven free digits, of which the first must not be 0 or 1. */
const phoneNumber = ({ phone }: Place, random: Random): string => `${phone}${2_200_000 + random.below(700_000)}`

const location = ({ phone: _, ...place }: Place, random: Random) => ({
  line_1: `${1 + random.below(300)} ${random.one(COMPANY_WORDS)} Street`,
  line_2: null,
  line_3: null,
  line_4: null,
  ...place,
})

/** Returns the text with only a to z, in lower case. */
const slug = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
