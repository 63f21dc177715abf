/** The domain by which the company of an email address is found. See docs/reference/meetings.md (People and companies). */

import { readAddress } from '#engine/attribute-types/email-address'
import type { DataModel } from '#engine/data-model/model'
import list from './free-mail-domains.txt' with { type: 'text' }

export interface CompanyDomain {
  /** The part of the address after the `@`. */
  readonly host: string
  /** The registrable domain of the host. A new company gets it. */
  readonly root: string
}

/** The domain of an address; undefined for a free mail provider and for a domain of the workspace's members. */
export function companyDomainOf(model: DataModel, address: string): CompanyDomain | undefined {
  const domain = domainOf(address)
  if (domain === undefined || isOfFreeMail(domain) || ownDomains(model).has(domain.root)) return undefined
  return domain
}

/** Whether an address has a domain of the workspace's members. */
export function isOwnAddress(model: DataModel, address: string): boolean {
  const domain = domainOf(address)
  return domain !== undefined && ownDomains(model).has(domain.root)
}

/** Whether a domain, or the registrable domain above it, is one of the workspace's members. */
export const isOwnDomain = (model: DataModel, domain: string): boolean => isOwnAddress(model, `postmaster@${domain}`)

function domainOf(address: string): CompanyDomain | undefined {
  const read = readAddress(address)
  if (read === undefined) return undefined
  const { email_address, email_root_domain: root } = read
  return { host: email_address.slice(email_address.lastIndexOf('@') + 1), root }
}

const isOfFreeMail = ({ host, root }: CompanyDomain): boolean => isFreeMail(host) || isFreeMail(root)

const domainsByModel = new WeakMap<DataModel, ReadonlySet<string>>()

/** The registrable domains of the members' addresses, without free mail providers. */
export function ownDomains(model: DataModel): ReadonlySet<string> {
  const cached = domainsByModel.get(model)
  if (cached) return cached
  const domains = [...model.membersByEmail.keys()].flatMap((address) => domainOf(address) ?? [])
  const own = new Set(domains.filter((domain) => !isOfFreeMail(domain)).map(({ root }) => root))
  domainsByModel.set(model, own)
  return own
}

/** The domains of free mail providers, where an address says nothing about a company. See docs/decisions/contacts-and-interactions.md. */
const DOMAINS: ReadonlySet<string> = new Set(list.split('\n').filter((line) => line !== '' && !line.startsWith('#')))

const isFreeMail = (domain: string): boolean => DOMAINS.has(domain)
