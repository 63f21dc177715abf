/**
 * Authenticates requests by the token in their Authorization header. Tokens are cached for some seconds. A process that
 * revokes a token notifies all processes, which remove it from their caches.
 * See docs/reference/access-and-oauth.md (Refusals).
 */

import type { Database } from '#db/connect'
import { missingAuthorization, unknownToken, wrongTokenLength } from '#base/errors/access'
import { workspaceMoved } from '#base/errors/http'
import { createLru } from '#base/caching/caching'
import type { Clock } from '#base/timing/clock'
import { hashSecret, limitUnknownSecrets } from '#access/secrets'
import { findToken, recordTokenUse, type Token, type TokenResource, TOKENS_CHANNEL } from './tokens'

/** The time for which a cached token is valid when the notification of its revocation is lost. */
const CACHED_FOR_MS = 5_000
const USE_RECORDED_EVERY_MS = 60_000
const MAX_CACHED = 10_000

export interface TokenAuthenticator {
  /**
   * Returns the token of an Authorization header. `bearer` as in `readCredentials`. Throws 401, also for a token of another
   * resource than `resource`, and 410 when the workspace has moved to another service.
   */
  authenticate(header: string | null, bearer?: string, resource?: TokenResource): Token | Promise<Token>
  /** Returns the valid token with this text, unless its workspace has moved to another service. */
  find(token: string): Token | undefined | Promise<Token | undefined>
}

export function createTokenAuthenticator(
  db: Database,
  now: Clock,
  cachedForMs = CACHED_FOR_MS,
  maxCached = MAX_CACHED,
): TokenAuthenticator {
  const findByHash = createTokenFinder(db, cachedForMs, maxCached)
  const recordUse = createUseRecorder(db, now, maxCached)

  const useIfValid = (token: Token | undefined): Token | undefined => {
    if (token === undefined || (token.expiresAt !== null && token.expiresAt <= now())) return undefined
    if (token.move?.isDone !== true) recordUse(token)
    return token
  }
  const find = (token: string) => {
    const found = findByHash(hashSecret(token))
    return found instanceof Promise ? found.then(useIfValid) : useIfValid(found)
  }
  return {
    find(token) {
      const found = find(token)
      return found instanceof Promise ? found.then(unlessMoved) : unlessMoved(found)
    },
    authenticate(header, bearer, resource = null) {
      const credentials = readCredentials(header, bearer)
      if (credentials.kind === 'missing') throw missingAuthorization()
      if (credentials.kind === 'malformed') throw wrongTokenLength()
      const found = find(credentials.token)
      const requireValid = (token: Token | undefined) => requireToken(token, resource)
      return found instanceof Promise ? found.then(requireValid) : requireValid(found)
    },
  }
}

interface CachedToken {
  readonly token: Token
  /** In milliseconds since the process started. */
  readonly since: number
}

type FindByHash = (hash: string) => Token | Promise<Token | undefined>

/** Finds tokens, also expired ones, in the cache or in the database. */
function createTokenFinder(db: Database, cachedForMs: number, maxCached: number): FindByHash {
  const cache = createLru<string, CachedToken>(maxCached)
  const findLimited = limitUnknownSecrets((hash) => findToken(db, hash))
  /** Counts removals, so that the result of a look-up that started before a revocation is not cached after it. */
  let removals = 0

  const remove = (hash?: string) => {
    removals++
    if (hash === undefined) cache.clear()
    else cache.delete(hash)
  }
  let listening: Promise<unknown> | undefined
  /** The driver retries until it listens. Until then, cached tokens expire by their age. */
  const listen = () => (listening ??= db.sql.listen(TOKENS_CHANNEL, remove, () => remove()).catch(() => undefined))

  const lookUp = async (hash: string): Promise<Token | undefined> => {
    await listen()
    const before = removals
    const token = await findLimited(hash)
    if (token === undefined) cache.delete(hash)
    else if (before === removals) cache.set(hash, { token, since: performance.now() })
    return token
  }

  return (hash) => {
    const entry = cache.get(hash)
    return entry !== undefined && performance.now() - entry.since < cachedForMs ? entry.token : lookUp(hash)
  }
}

/** Stores the time of a token's last use, at most once in `USE_RECORDED_EVERY_MS`. */
function createUseRecorder(db: Database, now: Clock, maxTokens: number): (token: Token) => void {
  /** When the use of each token was last stored. */
  const recordedUses = createLru<string, number>(maxTokens)
  return (token) => {
    const last = recordedUses.get(token.id)
    if (last !== undefined && performance.now() - last < USE_RECORDED_EVERY_MS) return
    recordedUses.set(token.id, performance.now())
    // The request does not wait for this. After a failure, the next request stores the use.
    recordTokenUse(db, token, now()).catch(() => recordedUses.delete(token.id))
  }
}

const unlessMoved = (token: Token | undefined): Token | undefined => (token?.move?.isDone === true ? undefined : token)

function requireToken(token: Token | undefined, resource: TokenResource): Token {
  if (token === undefined || (token.resource !== null && token.resource !== resource)) throw unknownToken()
  if (token.move?.isDone === true) throw workspaceMoved(token.move.to)
  return token
}

/** The length of every token. A header with another length is refused without a look-up. */
const TOKEN_LENGTH = 64

export type TokenCredentials =
  { readonly kind: 'missing' } | { readonly kind: 'malformed' } | { readonly kind: 'token'; readonly token: string }

/**
 * Reads the token from an Authorization header. No other part of a request can carry a token. `bearer` is the token that the
 * bearer plugin read. The plugin reads only the scheme written as `Bearer`. See docs/reference/access-and-oauth.md (Presenting a token).
 */
export function readCredentials(header: string | null, bearer?: string): TokenCredentials {
  if (bearer !== undefined) return checkLength(bearer.trim())
  const text = header?.trim() ?? ''
  if (text === '') return { kind: 'missing' }
  const [scheme = ''] = text.split(/\s/, 1)
  return checkLength(tokenOf(scheme.toLowerCase(), text.slice(scheme.length).trimStart()))
}

const checkLength = (token: string | undefined): TokenCredentials =>
  token?.length === TOKEN_LENGTH ? { kind: 'token', token } : { kind: 'malformed' }

/** With the scheme Basic, the token is the user name. */
function tokenOf(scheme: string, rest: string): string | undefined {
  if (scheme === 'bearer') return rest
  return scheme === 'basic' ? Buffer.from(rest, 'base64').toString('utf8').split(':', 1)[0] : undefined
}
