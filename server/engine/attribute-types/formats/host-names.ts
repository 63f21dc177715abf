/**
 * Host names of companies and mailboxes. The root is the public suffix and one label more, by the ICANN section of the
 * Public Suffix List; so `.test`, `.example`, `.invalid`, `.localhost` and other names that cannot be registered are not
 * host names here. Labels before the suffix may contain underscores. See docs/reference/values.md (Domain).
 */

import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { createLru } from '#base/caching/caching'

export interface HostName {
  /** Lower case, in ASCII. */
  readonly host: string
  readonly root: string
}

const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const MAX_LENGTH = 253
/** The limit of a name in any script, because its conversion takes time quadratic in its length. */
const MAX_WRITTEN_LENGTH = 4 * MAX_LENGTH

// The text is a well-formed lower-case name, so only its suffix must be found.
const SUFFIX_ONLY = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false }

/** Most addresses have one of few hosts, and the search for a suffix is the slowest step of parsing an address. */
const MAX_CACHED = 2000
const cache = createLru<string, HostName>(MAX_CACHED)

/** Parses a bare host name. Undefined if the text is not one, or is itself a public suffix. */
export function parseHostName(text: string): HostName | undefined {
  if (text.length > MAX_WRITTEN_LENGTH) return undefined
  const cached = cache.get(text)
  if (cached) return cached
  const name = readHostName(text)
  if (!name || text.length > MAX_LENGTH) return name
  cache.set(text, name)
  return name
}

/** The host of an e-mail address, which has no underscores. RFC 5321, 4.1.2. See docs/reference/values.md (Email address). */
export function parseMailHostName(text: string): HostName | undefined {
  const name = parseHostName(text)
  return name?.host.includes('_') ? undefined : name
}

function readHostName(text: string): HostName | undefined {
  const host = toAscii(text)
  if (host.length > MAX_LENGTH || !LABELS.test(host)) return undefined
  const { domain, isIcann } = parse(host, SUFFIX_ONLY)
  return isIcann && domain !== null ? { host, root: domain } : undefined
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

const toAscii = (text: string): string => (isAscii(text) ? text.toLowerCase() : domainToASCII(text))
