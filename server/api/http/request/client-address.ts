/** The address of the client behind the trusted proxies. */

/** The part of Bun's server that gives the address of a connection. */
export interface Listener {
  requestIP(request: Request): { readonly address: string } | null
}

/**
 * Each of the `proxies` appends the address of its client to `X-Forwarded-For`. The client may have sent earlier elements of
 * the header itself, so they are not read. Returns null when the address is unknown.
 */
export function clientAddress(request: Request, listener: Listener | null, proxies: number): string | null {
  const direct = listener?.requestIP(request)?.address ?? null
  if (proxies === 0) return direct
  const heard = request.headers.get('x-forwarded-for')?.split(',') ?? []
  return heard.at(-proxies)?.trim() || heard[0]?.trim() || direct
}
