/**
 * The people and companies that email addresses stand for. An address is linked to the person who has it, to the company of that
 * person, and to the company that has its domain or its registrable domain. The links are not stored, so they hold as soon as a
 * record gets an address or a domain. See docs/reference/emails.md (Linked records); docs/decisions/meetings-and-emails.md.
 */

import type { Sql, Transaction } from '#db/connect'
import { type ContactTypes, contactTypesOf } from '#crm/contacts/contact-types'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { findReferringIds } from '#engine/storage/statements/reference-statements'
import { findRecordsByKeys, type FoundRecord, readTexts } from '#engine/storage/statements/read-many-records'
import { domainsOf } from './email'
import type { AddressFilter } from './list-emails'

/** A person or a company. */
export interface Contact {
  readonly object: ObjectType
  readonly id: string
}

/** The people and companies of each address, people first, also those that the member of the model does not see. */
export async function findContacts(
  db: Sql | Transaction,
  given: DataModel,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly Contact[]>> {
  const model = given.loaded ?? given
  const types = contactTypesOf(model)
  if (types === undefined) return new Map()
  const { people, emailAddresses, company, companies, domains } = types
  const domainsByAddress = new Map([...new Set(addresses)].map((address) => [address, domainsOf(address)]))
  if (domainsByAddress.size === 0) return new Map()
  const ofPeople = { unique: emailAddresses, keys: [...domainsByAddress.keys()], reference: company }
  const ofCompanies = { unique: domains, keys: [...new Set([...domainsByAddress.values()].flat())] }
  const found = await findRecordsByKeys(db, model, ofPeople, ofCompanies)
  const isPerson = ({ attribute }: FoundRecord) => attribute === emailAddresses.number
  const persons = new Map(found.filter(isPerson).map((person) => [person.key, person]))
  const companyIds = new Map(found.filter((each) => !isPerson(each)).map(({ key, id }) => [key, id]))
  const contacts = new Map<string, Contact[]>()
  for (const [address, ofAddress] of domainsByAddress) {
    const person = persons.get(address)
    const ids = [person?.target_id ?? undefined, ...ofAddress.map((domain) => companyIds.get(domain))]
    const linked = [...new Set(ids)].flatMap((id) => (id === undefined ? [] : [{ object: companies, id }]))
    contacts.set(address, person === undefined ? linked : [{ object: people, id: person.id }, ...linked])
  }
  return contacts
}

/** Of a company with more people, this many count. */
const MAX_TEAM = 2_000

/** The addresses and domains whose emails and meetings belong to a person or a company, and the people whose other interactions do. */
export interface ContactKeys extends AddressFilter {
  readonly peopleIds: readonly string[]
}

/** Those of people, and of companies with their people. Records of other objects have none. */
export async function findAddressesOf(
  db: Sql | Transaction,
  given: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ContactKeys>> {
  const model = given.loaded ?? given
  const types = contactTypesOf(model)
  if (types === undefined) return new Map()
  if (object.id === types.people.id) {
    const addresses = await readTexts(db, model, addressesOf(types), ids)
    return new Map([...addresses].map(([id, own]) => [id, { addresses: own, domains: [], peopleIds: [id] }]))
  }
  if (object.id !== types.companies.id) return new Map()
  const domains = await readTexts(db, model, { attribute: types.domains, member: 'domain' }, ids)
  const found = new Map<string, ContactKeys>()
  for (const [id, own] of domains) {
    // A member who does not see people does not learn who belongs to a company.
    const peopleIds = isHiddenObjectId(given, types.people.id) ? [] : await findTeam(db, model, types, id)
    const team = await readTexts(db, model, addressesOf(types), peopleIds)
    found.set(id, { addresses: [...team.values()].flat(), domains: own, peopleIds })
  }
  return found
}

async function findTeam(
  db: Sql | Transaction,
  model: DataModel,
  types: ContactTypes,
  companyId: string,
): Promise<string[]> {
  const ids = await findReferringIds(db, model, types.company, companyId)
  return ids.slice(0, MAX_TEAM)
}

const addressesOf = ({ emailAddresses }: ContactTypes) => ({ attribute: emailAddresses, member: 'email_address' })
