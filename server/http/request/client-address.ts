/** Where a request came from, seen past the proxies we know of. */

/** What the runtime knows of connections. */
export interface Listener {
  requestIP(request: Request): { readonly address: string } | null
}

/**
 * With `proxies` in front of us, each of which appends whom it heard, the client is the last one but so many; what stands
 * before that, anyone may have written. Null where nothing is known.
 */
export function clientAddress(request: Request, listener: Listener | null, proxies: number): string | null {
  const direct = listener?.requestIP(request)?.address ?? null
  if (proxies === 0) return direct
  const heard = request.headers.get('x-forwarded-for')?.split(',') ?? []
  return heard.at(-proxies)?.trim() || heard[0]?.trim() || direct
}
