/** What is never stored from connected accounts: the domains of the workspace's members, and what each member excludes. */

import type { DataModel } from '#engine/data-model/model'
import { isOwnAddress } from '#crm/contacts/company-domain'
import { domainOf, normaliseAddress } from '#crm/mailboxes/email'
import { parseMailHostName } from '#engine/attribute-types/formats/host-names'

/** An address or a domain in the form in which it is stored. Undefined for another text. */
export function parseExclusion(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase()
  if (trimmed.includes('@') && !trimmed.startsWith('@')) return normaliseAddress(trimmed)
  return parseMailHostName(trimmed.replace(/^@/, ''))?.host
}

/** Says whether an address or its domain is named. */
export function createPatternMatch(patterns: readonly string[]): (address: string) => boolean {
  const excluded = new Set(patterns)
  return (address) => excluded.has(address) || domainsAbove(domainOf(address)).some((each) => excluded.has(each))
}

/** Says whether an address is excluded. The member's own addresses never are. */
export function createExclusions(
  model: DataModel,
  patterns: readonly string[],
  ownAddresses: ReadonlySet<string>,
): (address: string) => boolean {
  const isNamed = createPatternMatch(patterns)
  return (address) => !ownAddresses.has(address) && (isOwnAddress(model, address) || isNamed(address))
}

/** The domain and those that it belongs to: `mail.relata.dev`, `relata.dev`, `dev`. */
const domainsAbove = (domain: string): string[] => {
  const labels = domain.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}
