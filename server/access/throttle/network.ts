/** The network by which requests are counted: an IPv4 address, or the /64 of an IPv6 address, which one customer has. */

/** Returns the address itself, or the first half of an IPv6 address. */
export function networkOf(address: string): string {
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (ipv4 !== undefined) return ipv4
  if (!address.includes(':')) return address
  const [start = '', end] = address.toLowerCase().split('::')
  const groups = start.split(':').filter(Boolean)
  const last = end?.split(':').filter(Boolean) ?? []
  const missing = end === undefined ? 0 : 8 - groups.length - last.length
  const all = [...groups, ...Array.from({ length: Math.max(missing, 0) }, () => '0'), ...last]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
