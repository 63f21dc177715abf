/**
 * Decides which addresses are public. All other addresses are refused as targets.
 * See docs/reference/webhooks-and-events.md (Targets).
 */

import { BlockList, isIPv4, isIPv6 } from 'node:net'

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
