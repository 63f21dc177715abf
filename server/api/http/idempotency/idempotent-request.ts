/** Reads the idempotency key of a request, and digests what two identical requests share. See docs/reference/errors-and-limits.md (Idempotency). */

import { sha256 } from '#base/text/sha256'
import { invalidIdempotencyKey } from '#base/errors/http'

const KEY = /^[\x21-\x7e]{1,255}$/

export interface IdempotentRequest {
  readonly workspaceId: string
  /** The digest of caller, key, method and address, in hex. */
  readonly keyDigest: string
  /** The digest of the body, in hex. */
  readonly bodyDigest: string
}

/** Returns the key of a request, if it has one. Throws 400 for an invalid key. */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key') ?? headers.get('x-idempotency-key')
  if (key === null) return undefined
  if (!KEY.test(key)) throw invalidIdempotencyKey()
  return key
}

/** `body` is empty when the route reads no body. */
export function identifyRequest(
  caller: { readonly key: string; readonly workspaceId: string },
  key: string,
  { method, url }: { readonly method: string; readonly url: URL },
  body: Uint8Array,
): IdempotentRequest {
  const { pathname, search } = url
  return {
    workspaceId: caller.workspaceId,
    // No part can contain a line break, so different parts never join to the same text.
    keyDigest: sha256([caller.key, key, method, pathname + search].join('\n')),
    bodyDigest: sha256(body),
  }
}
