/**
 * From an Authorization header to the token it presents, without asking the database for what is known. A token is known
 * for some seconds at most, and forgotten at once when any process revokes it.
 * See docs/reference/access-and-oauth.md (Refusals).
 */

import type { Database } from '../../../db/connect'
import { missingAuthorization, unknownToken, wrongTokenLength } from '../../errors/errors'
import { createLru } from '../../caching/lru'
import type { Clock } from '../../timing/clock'
import { readCredentials } from './credentials'
import { findToken, hashToken, recordTokenUse, TOKENS_CHANNEL, type Token } from './tokens'

/** How long a token is believed when no word of its revocation arrives. */
const CACHED_FOR_MS = 5_000
const USE_RECORDED_EVERY_MS = 60_000
const MAX_CACHED = 10_000

export interface Access {
  /** The token of a call; throws 401. */
  authenticate(header: string | null): Token | Promise<Token>
  /** The token with this text, if it is a valid one. */
  find(token: string): Token | undefined | Promise<Token | undefined>
}

interface Known {
  readonly token: Token
  /** In milliseconds of the process. */
  readonly since: number
}

export function createTokenAuthenticator(
  db: Database,
  now: Clock,
  knownForMs = CACHED_FOR_MS,
  mostKnown = MAX_CACHED,
): Access {
  const known = createLru<string, Known>(mostKnown)
  const touched = createLru<string, number>(mostKnown)
  /** Counts what was forgotten, so that a look-up begun before a revocation is not kept after it. */
  let forgotten = 0

  const forget = (hash?: string) => {
    forgotten++
    if (hash === undefined) known.clear()
    else known.delete(hash)
  }
  let listening: Promise<unknown> | undefined
  /** Once asked, the driver goes on trying by itself; until it hears something, tokens just grow old. */
  const listen = () => (listening ??= db.sql.listen(TOKENS_CHANNEL, forget, () => forget()).catch(() => undefined))

  const find: Access['find'] = (token) => {
    const hash = hashToken(token)
    const entry = known.get(hash)
    return entry !== undefined && performance.now() - entry.since < knownForMs ? valid(entry.token) : look(hash)
  }

  const look = async (hash: string): Promise<Token | undefined> => {
    await listen()
    const before = forgotten
    const token = await findToken(db, hash)
    if (token === undefined) known.delete(hash)
    else if (before === forgotten) known.set(hash, { token, since: performance.now() })
    return token === undefined ? undefined : valid(token)
  }

  const valid = (token: Token): Token | undefined => {
    if (token.expiresAt !== null && token.expiresAt <= now()) return undefined
    const last = touched.get(token.id)
    if (last === undefined || performance.now() - last >= USE_RECORDED_EVERY_MS) {
      touched.set(token.id, performance.now())
      // Beside the request; a failure is of no consequence, the next minute tries again.
      recordTokenUse(db, token, now()).catch(() => touched.delete(token.id))
    }
    return token
  }

  return {
    find,
    authenticate(header) {
      const credentials = readCredentials(header)
      if (credentials.kind === 'missing') throw missingAuthorization()
      if (credentials.kind === 'malformed') throw wrongTokenLength()
      const found = find(credentials.token)
      return found instanceof Promise ? found.then(orRefuse) : orRefuse(found)
    },
  }
}

function orRefuse(token: Token | undefined): Token {
  if (token === undefined) throw unknownToken()
  return token
}
