/**
 * Checks the targets of webhooks: when a webhook is saved, and again at each attempt.
 * See docs/reference/webhooks-and-events.md (Targets).
 */

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from './public-address'

export interface Address {
  readonly address: string
  readonly family: number
}

/** All addresses of a host name; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly Address[]>

/** The test endpoints of this service. Their public addresses begin with `prefix`, their local addresses with `local`. */
export interface TestEndpointAddresses {
  readonly prefix: string
  readonly local: string
}

export interface TargetPolicy {
  /** The local address of a test endpoint; undefined for all other targets. */
  localAddressOf(target: string): string | undefined
  /** The error message for an address that is not allowed; undefined for an allowed one. */
  refusal(target: string): Promise<string | undefined>
  /** The address to connect to. Throws `TargetRefused`, and the errors of the resolver. */
  locate(target: URL): Promise<Address>
}

export class TargetRefused extends Error {}

/** A working resolver needs less. */
const RESOLVE_TIMEOUT_MS = 2_000
const MAX_LENGTH = 2048

export function createTargetPolicy(options: {
  readonly allowPrivate: boolean
  readonly own?: TestEndpointAddresses
  readonly resolve?: Resolve
}): TargetPolicy {
  const { allowPrivate, own, resolve = systemResolve } = options

  const localAddressOf = (target: string): string | undefined =>
    own === undefined ? undefined : localAddressIn(own, target)
  const ownHosts = own === undefined ? [] : [own.prefix, own.local].map((address) => hostOf(new URL(address)))

  const locate = async (target: URL): Promise<Address> => {
    if (ownHosts.includes(hostOf(target))) throw new TargetRefused(OURSELVES)
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const found = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
    // A name with public and private addresses may be an attack, so one private address is enough to refuse it.
    if (!allowPrivate && !found.every(({ address }) => isPublicAddress(address)))
      throw new TargetRefused('The target resolves to an address that is not public.')
    const [first] = found
    if (first === undefined) throw new TargetRefused('The target has no address.')
    return first
  }

  return {
    localAddressOf,
    locate,
    async refusal(target) {
      if (target.length > MAX_LENGTH) return `The target may have at most ${MAX_LENGTH} characters.`
      if (localAddressOf(target) !== undefined) return undefined
      const url = URL.parse(target)
      const formError = url === null ? 'Not a URL.' : refusalOfForm(url, target, allowPrivate)
      if (url === null || formError !== undefined) return formError
      try {
        await Promise.race([locate(url), resolveTimeout()])
        return undefined
      } catch (error) {
        // A name that does not resolve now may resolve later. Each attempt resolves it again.
        return error instanceof TargetRefused ? error.message : undefined
      }
    },
  }
}

const OURSELVES = 'The target is this service itself, of which only test endpoints take messages.'

/** Compares the URL as the runtime normalises it: with `..`, `%2e%2e` and `\\` resolved. */
function localAddressIn({ prefix, local }: TestEndpointAddresses, target: string): string | undefined {
  const url = URL.parse(target)
  const start = new URL(prefix).href
  if (url === null || url.hash !== '' || !url.href.startsWith(start) || url.href === start) return undefined
  return local + url.href.slice(start.length)
}

/** Removes a trailing dot, which does not change what a name means. */
const hostOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname.replace(/\.$/, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`

function refusalOfForm(url: URL, target: string, allowPrivate: boolean): string | undefined {
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return allowPrivate
      ? 'The target must begin with https:// or http://.'
      : 'The target must begin with https://. For development, the setting RELATA_ALLOW_PRIVATE_TARGETS=1 also allows http://.'
  if (url.username !== '' || url.password !== '') return 'The target may not hold credentials.'
  if (target.includes('#')) return 'The target may not have a fragment.'
  const port = url.port === '' ? 443 : Number(url.port)
  if (!allowPrivate && port !== 443 && port < 1024) return 'The port of the target must be 443, or 1024 and above.'
  return undefined
}

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

const resolveTimeout = async (): Promise<void> => {
  await Bun.sleep(RESOLVE_TIMEOUT_MS)
}
