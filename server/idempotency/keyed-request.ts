/** What makes two requests with an idempotency key the same. Spec: errors-and-limits 5. */

import { invalidIdempotencyKey } from '../errors'

const KEY = /^[\x21-\x7e]{1,255}$/

export interface KeyedRequest {
  readonly workspaceId: string
  /** Of the caller, the key, and the method and address it came with: in hex. */
  readonly scope: string
  /** Of what was sent, in hex. */
  readonly request: string
}

/** The key of a request, if it has one. Throws 400 for one that is none. */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key') ?? headers.get('x-idempotency-key')
  if (key === null) return undefined
  if (!KEY.test(key)) throw invalidIdempotencyKey()
  return key
}

/** `body` is what the route reads of it; nothing for one that reads none. */
export function keyedRequest(
  caller: { readonly key: string; readonly workspaceId: string },
  key: string,
  { method, url }: Request,
  body: Uint8Array,
): KeyedRequest {
  const { pathname, search } = new URL(url)
  return {
    workspaceId: caller.workspaceId,
    // No part can hold a line break, so none can pass for two.
    scope: digest([caller.key, key, method, pathname + search].join('\n')),
    request: digest(body),
  }
}

const digest = (data: string | Uint8Array): string => new Bun.CryptoHasher('sha256').update(data).digest('hex')
