/**
 * Sends a request to an address that was just checked. It follows no redirect and decompresses nothing.
 * See docs/reference/webhooks-and-events.md (Targets).
 */

import type { Address } from './target'

/** The runtime's name of the version. */
const TLS_1_2 = 0x0303

export interface AddressedRequest {
  readonly method: 'POST' | 'HEAD' | 'GET'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export const fetchAtAddress = (url: URL, address: Address, request: AddressedRequest): Promise<Response> =>
  fetch(withAddress(url, address), optionsOf(url, request))

const optionsOf = (url: URL, { method, headers, body, signal }: AddressedRequest) => ({
  method,
  headers: { ...headers, Host: url.host, Accept: '*/*', 'Accept-Encoding': 'identity' },
  ...(body !== undefined && { body }),
  signal,
  redirect: 'manual' as const,
  decompress: false,
  // The certificate must be valid for the name, not for the address.
  ...(url.protocol === 'https:' && {
    tls: { serverName: url.hostname.replace(/^\[|\]$/g, ''), minVersion: TLS_1_2 },
  }),
})

/** Puts the checked address into the URL, so that `fetch` does not resolve the name again. */
function withAddress(url: URL, { address, family }: Address): string {
  const host = family === 6 ? `[${address}]` : address
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}${url.search}`
}
