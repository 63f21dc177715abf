/**
 * Names of hosts in the internet, as companies and mailboxes have them. The root is the public suffix and one label
 * more, by the ICANN section of the Public Suffix List; so `.test`, `.example`, `.invalid`, `.localhost` and what else
 * nobody can register are no host names here. Labels before the suffix may contain underscores. See docs/reference/values.md (Domain).
 */

import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { createLru } from '../../caching/lru'

export interface HostName {
  /** Lower case, in ASCII. */
  readonly host: string
  readonly root: string
}

const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const MAX_LENGTH = 253
/** Of a name in letters of any script, which may be decomposed: converting takes time in the square of its length. */
const MAX_WRITTEN_LENGTH = 4 * MAX_LENGTH

// The text is known to be a well-formed lower-case name, so that nothing but the suffix is left to find.
const SUFFIX_ONLY = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false }

/** Mail and companies are at the same few hosts, and looking for a suffix takes longer than all else of an address. */
const MOST_KNOWN = 2000
const known = createLru<string, HostName>(MOST_KNOWN)

/** Reads a bare host name; undefined when it is none, or is itself a public suffix. */
export function parseHostName(text: string): HostName | undefined {
  if (text.length > MAX_WRITTEN_LENGTH) return undefined
  const before = known.get(text)
  if (before) return before
  const name = readHostName(text)
  if (!name || text.length > MAX_LENGTH) return name
  known.set(text, name)
  return name
}

/** The host of an e-mail address, which has no underscores. RFC 5321, 4.1.2; spec: values 8.7. */
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
