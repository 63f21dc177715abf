/**
 * The people and companies that email addresses stand for. An address is linked to the person who has it, to the company of that
 * person, and to the company that has its domain or its registrable domain. The links are not stored, so they hold as soon as a
 * record gets an address or a domain. See docs/reference/emails.md (Linked records); decision 0095.
 */

import type { Sql, Transaction } from '../../db/connect'
import { getAttribute } from '../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../data-model/model'
import { findReferringIds } from '../storage/statements/reference-statements'
import { findByKeys, readRecords, type StoredRecord } from '../storage/statements/read-many-records'
import { domainsOf } from './addresses'
import type { AddressFilter } from './list-emails'

/** A person or a company. */
export interface Contact {
  readonly object: ObjectType
  readonly id: string
}

/** The attributes that link people and companies with addresses. Undefined for an object that is disabled. */
interface ContactAttributes {
  readonly people:
    { readonly object: ObjectType; readonly addresses: Attribute; readonly company: Attribute } | undefined
  readonly companies: { readonly object: ObjectType; readonly domains: Attribute } | undefined
}

export function contactAttributes(model: DataModel): ContactAttributes {
  const [people, companies] = ['people', 'companies'].map((slug) =>
    model.entityTypes.find(
      (each): each is ObjectType => each.kind === 'object' && each.standard_slug === slug && each.is_enabled,
    ),
  )
  return {
    people: people && {
      object: people,
      addresses: getAttribute(people, 'email_addresses'),
      company: getAttribute(people, 'company'),
    },
    companies: companies && { object: companies, domains: getAttribute(companies, 'domains') },
  }
}

/** The people and companies of each address, people first. */
export async function findContacts(
  db: Sql | Transaction,
  model: DataModel,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly Contact[]>> {
  const { people, companies } = contactAttributes(model)
  const distinct = [...new Set(addresses)]
  const domains = [...new Set(distinct.flatMap(domainsOf))]
  const [personIds, companyIds] = await Promise.all([
    people ? findByKeys(db, model, people.addresses, distinct) : new Map<string, string>(),
    companies ? findByKeys(db, model, companies.domains, domains) : new Map<string, string>(),
  ])
  const persons =
    people &&
    companies &&
    (await readRecords(db, model, people.object, [people.company], [...new Set(personIds.values())]))
  const contactsOf = (address: string): Contact[] => {
    const person = personIds.get(address)
    const employer = person === undefined ? undefined : targetOf(persons?.get(person), people?.company)
    const byDomain = domainsOf(address).flatMap((domain) => companyIds.get(domain) ?? [])
    const ofCompanies = [...new Set([...(employer === undefined ? [] : [employer]), ...byDomain])]
    return [
      ...(person !== undefined && people ? [{ object: people.object, id: person }] : []),
      ...(companies ? ofCompanies.map((id) => ({ object: companies.object, id })) : []),
    ]
  }
  return new Map(distinct.map((address) => [address, contactsOf(address)]))
}

function targetOf(record: StoredRecord | undefined, attribute: Attribute | undefined): string | undefined {
  const [value] = (attribute && record?.valuesOf(attribute)) ?? []
  return value && String(value.stored.target_record_id)
}

/** Of a company with more people, the addresses of this many count, beside the domains of the company. */
const MAX_TEAM = 2_000

/** The addresses of people, and the domains of companies with the addresses of their people. Records of other objects have none. */
export async function findAddressesOf(
  db: Sql | Transaction,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AddressFilter>> {
  const { people, companies } = contactAttributes(model)
  if (people?.object === object) {
    const records = await readRecords(db, model, object, [people.addresses], ids)
    return new Map(
      [...records].map(([id, record]) => [
        id,
        { addresses: textsOf(record, people.addresses, 'email_address'), domains: [] },
      ]),
    )
  }
  if (companies?.object !== object) return new Map()
  const records = await readRecords(db, model, object, [companies.domains], ids)
  const found = new Map<string, AddressFilter>()
  for (const [id, record] of records) {
    const addresses = await findAddressesOfTeam(db, model, id)
    found.set(id, { addresses, domains: textsOf(record, companies.domains, 'domain') })
  }
  return found
}

async function findAddressesOfTeam(db: Sql | Transaction, model: DataModel, companyId: string): Promise<string[]> {
  const { people } = contactAttributes(model)
  if (people === undefined) return []
  const ids = await findReferringIds(db, model, people.company, companyId)
  const team = await readRecords(db, model, people.object, [people.addresses], ids.slice(0, MAX_TEAM))
  return [...team.values()].flatMap((person) => textsOf(person, people.addresses, 'email_address'))
}

const textsOf = (record: StoredRecord, attribute: Attribute, member: string): string[] =>
  record.valuesOf(attribute).map(({ stored }) => String(stored[member]))
