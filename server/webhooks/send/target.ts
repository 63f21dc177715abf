/**
 * Where webhooks may be sent. A target is checked when it is named, and again at each attempt.
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

/** Receivers of our own: their addresses begin with `prefix`, and are reached from inside at `local`. */
export interface OwnReceivers {
  readonly prefix: string
  readonly local: string
}

export interface TargetPolicy {
  /** Where to send instead, for one of our own receivers. */
  inside(target: string): string | undefined
  /** Why an address is no target, in words; undefined when it may be one. */
  refusal(target: string): Promise<string | undefined>
  /** The address to connect to now. Throws `TargetRefused`, and what resolving throws. */
  locate(target: URL): Promise<Address>
}

export class TargetRefused extends Error {}

/** Longer than any resolver that is well needs. */
const RESOLVE_MS = 2_000
const MAX_LENGTH = 2048

export function createTargetPolicy(options: {
  readonly allowPrivate: boolean
  readonly own?: OwnReceivers
  readonly resolve?: Resolve
}): TargetPolicy {
  const { allowPrivate, own, resolve = systemResolve } = options

  const inside = (target: string): string | undefined => (own === undefined ? undefined : insideOf(own, target))
  const ownHosts = own === undefined ? [] : [own.prefix, own.local].map((address) => hostOf(new URL(address)))

  const locate = async (target: URL): Promise<Address> => {
    if (ownHosts.includes(hostOf(target))) throw new TargetRefused(OURSELVES)
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const found = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
    // One private address among public ones is an attack, or a mistake as bad.
    if (!allowPrivate && !found.every(({ address }) => isPublicAddress(address)))
      throw new TargetRefused('The target resolves to an address that is not public.')
    const [first] = found
    if (first === undefined) throw new TargetRefused('The target has no address.')
    return first
  }

  return {
    inside,
    locate,
    async refusal(target) {
      if (target.length > MAX_LENGTH) return `The target may have at most ${MAX_LENGTH} characters.`
      if (inside(target) !== undefined) return undefined
      const url = URL.parse(target)
      const form = url === null ? 'Not a URL.' : refusalOfForm(url, target, allowPrivate)
      if (url === null || form !== undefined) return form
      try {
        await Promise.race([locate(url), giveUp()])
        return undefined
      } catch (error) {
        // A name that leads nowhere today may lead somewhere tomorrow; each attempt asks again.
        return error instanceof TargetRefused ? error.message : undefined
      }
    },
  }
}

const OURSELVES = 'The target is this service itself, of which only test endpoints take messages.'

/** Compared as it will be asked for: with `..`, `%2e%2e` and `\\` resolved. */
function insideOf({ prefix, local }: OwnReceivers, target: string): string | undefined {
  const url = URL.parse(target)
  const start = new URL(prefix).href
  if (url === null || url.hash !== '' || !url.href.startsWith(start) || url.href === start) return undefined
  return local + url.href.slice(start.length)
}

/** A name may end with a dot, and be the same. */
const hostOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname.replace(/\.$/, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`

function refusalOfForm(url: URL, target: string, allowPrivate: boolean): string | undefined {
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'The target must begin with https://.'
  if (url.username !== '' || url.password !== '') return 'The target may not hold credentials.'
  if (target.includes('#')) return 'The target may not have a fragment.'
  const port = url.port === '' ? 443 : Number(url.port)
  if (!allowPrivate && port !== 443 && port < 1024) return 'The port of the target must be 443, or 1024 and above.'
  return undefined
}

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

const giveUp = async (): Promise<void> => {
  await Bun.sleep(RESOLVE_MS)
}
