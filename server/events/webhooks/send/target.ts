/**
 * Checks the targets of webhooks: when a webhook is saved, and again at each attempt.
 * See docs/reference/webhooks-and-events.md (Targets).
 */

import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

export interface Address {
  readonly address: string
  readonly family: number
}

/** All addresses of a host name; rejects when there are none. */
type Resolve = (host: string) => Promise<readonly Address[]>

/** The test endpoints of this service. Their public addresses begin with `prefix`, their local addresses with `local`. */
interface TestEndpointAddresses {
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

/**
 * Decides which addresses are public. All other addresses are refused as targets.
 * See docs/reference/webhooks-and-events.md (Targets).
 */
const NOT_PUBLIC_V4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and where clouds keep their metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays to IPv6
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/** The exceptions inside 2000::/3. Addresses outside of it are not public. */
const NOT_PUBLIC_V6: readonly [network: string, bits: number][] = [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which may hide any IPv4 address
  ['3fff::', 20], // documentation
]

const refused = new BlockList()
for (const [network, bits] of NOT_PUBLIC_V4) refused.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of NOT_PUBLIC_V6) refused.addSubnet(network, bits, 'ipv6')

const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

/** `address` has the form that resolvers return. An IPv4 address in IPv6 notation is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4')
  return isIPv6(address) && unicast.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}
