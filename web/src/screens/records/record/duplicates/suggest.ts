/**
 * Which records may be duplicates of a record: a few searches, and a comparison of what they find. The searches use the search
 * index, so their cost does not depend on the number of records. See docs/decisions/trash-and-merges.md.
 */

import type { FoundRecord } from '../../../../api/records/search'
import type { Values } from '../../../../api/records/entities'

/** What is compared of a record. */
export interface Compared {
  readonly name: string
  readonly emails: readonly string[]
  readonly domains: readonly string[]
}

export type Reason = 'name' | 'email address' | 'email domain' | 'domain'

export interface Suggestion {
  readonly id: string
  readonly name: string
  readonly reasons: readonly Reason[]
}

/** Each is one request. */
const MAX_SEARCHES = 4
const MAX_SUGGESTIONS = 3

/** Addresses at these hosts say nothing about an organisation. */
const FREE_MAIL = new Set(
  ['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'yahoo.com', 'icloud.com', 'me.com'].concat(
    ['aol.com', 'gmx.de', 'gmx.net', 'web.de', 'proton.me', 'protonmail.com', 'mail.ru', 'qq.com', '163.com'],
  ),
)

/** Domains of examples, below which those of the sample data are. RFC 2606. */
const EXAMPLE_DOMAINS = new Set(['example.com', 'example.net', 'example.org'])

/** The label, email addresses and domains of a record. A label that is no name, such as an address, is not compared. */
export function comparedOf(values: Values, name: string): Compared {
  const all = Object.values(values).flat()
  const textsOf = (member: string) => [
    ...new Set(all.map((value) => value[member]).filter((text) => typeof text === 'string')),
  ]
  const emails = textsOf('email_address')
  const domains = all.filter(({ attribute_type }) => attribute_type === 'domain')
  return {
    name: name.includes('@') ? '' : name,
    emails,
    domains: [
      ...new Set(
        domains.map(({ domain, root_domain: root }) => String(EXAMPLE_DOMAINS.has(String(root)) ? domain : root)),
      ),
    ],
  }
}

/** The texts to search for. */
export function searchesFor({ name, emails, domains }: Compared): string[] {
  const lastWord = wordsOf(name).at(-1)
  const organisation = emails.map(domainOf).find((domain) => !FREE_MAIL.has(domain))
  const searches = [
    name,
    emails[0],
    domains[0],
    organisation !== undefined && lastWord !== undefined ? `${lastWord} ${organisation}` : undefined,
  ]
  return [...new Set(searches)]
    .filter((text) => text !== undefined && text.trim() !== '')
    .slice(0, MAX_SEARCHES) as string[] // undefined is filtered
}

/** The found records that resemble the record, those with the most reasons first. */
export function suggest(own: Compared, found: readonly FoundRecord[]): Suggestion[] {
  const others = new Map(found.map((one) => [one.id.record_id, one]))
  return [...others.values()]
    .map((one) => ({ id: one.id.record_id, name: one.record_text, reasons: reasonsFor(own, one) }))
    .filter(({ reasons }) => reasons.length > 0)
    .toSorted((one, other) => other.reasons.length - one.reasons.length)
    .slice(0, MAX_SUGGESTIONS)
}

function reasonsFor(own: Compared, { record_text, email_addresses = [], domains = [] }: FoundRecord): Reason[] {
  const sharesWord =
    wordsOf(own.name).at(-1) !== undefined && wordsOf(record_text).includes(wordsOf(own.name).at(-1) ?? '')
  const organisations = own.emails.map(domainOf).filter((domain) => !FREE_MAIL.has(domain))
  const reasons: Record<Reason, boolean> = {
    name: own.name !== '' && nameKey(record_text) === nameKey(own.name),
    'email address': email_addresses.some((address) => own.emails.includes(address)),
    'email domain': sharesWord && email_addresses.some((address) => organisations.includes(domainOf(address))),
    domain: domains.some((domain) => own.domains.some((root) => domain === root || domain.endsWith(`.${root}`))),
  }
  const present = Object.entries(reasons).flatMap(([reason, holds]) => (holds ? [reason as Reason] : [])) // its keys
  return present.includes('email address') ? present.filter((reason) => reason !== 'email domain') : present
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** Forms of companies, which one of two records often leaves out. */
const LEGAL_FORMS = new Set(['inc', 'ltd', 'llc', 'gmbh', 'ag', 'corp', 'co', 'sa', 'bv', 'plc', 'limited'])

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** The words of a name, regardless of case, accents and the form of a company. */
function nameKey(name: string): string {
  const words = wordsOf(name)
  const last = words.at(-1)
  return (words.length > 1 && last !== undefined && LEGAL_FORMS.has(last) ? words.slice(0, -1) : words).join(' ')
}
