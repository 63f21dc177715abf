/** The headers of responses. See docs/reference/errors-and-limits.md (Headers). */

const EXPOSED = [
  'Dry-Run',
  'ETag',
  'Idempotent-Replayed',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Relata-Ignored',
  'Retry-After',
  'X-Request-Id',
]
const EXPOSED_OF_BRAND = [
  'client',
  'execution-id',
  'platform',
  'platform-version',
  'record-query-score',
  'app-installation-bundle-id',
]
const ACCEPTED = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'X-Idempotency-Key']
const ACCEPTED_OF_BRAND = ['client', 'platform', 'platform-version', 'app-installation-bundle-id']

const STRICT_TRANSPORT = 'max-age=7776000; includeSubDomains; preload'

export type Headers = Readonly<Record<string, string>>

export const queryScoreHeader = (brand: string) => `x-${brand}-record-query-score`

export const executionIdHeader = (brand: string) => `x-${brand}-execution-id`

/** The headers of every response. */
export const commonHeaders = (brand: string): Headers => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [...named(brand, EXPOSED_OF_BRAND), ...EXPOSED].join(', '),
  Vary: 'Origin, Accept-Encoding',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': STRICT_TRANSPORT,
})

/** The headers of responses for the console, which other origins cannot read. */
export const PRIVATE_HEADERS: Headers = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': STRICT_TRANSPORT,
}

/** The further headers of a JSON response of the API. */
export const JSON_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
} as const

/** The headers of a preflight response. */
export const preflightHeaders = (brand: string): Headers => ({
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': [...ACCEPTED, ...named(brand, ACCEPTED_OF_BRAND)].join(', '),
  'Access-Control-Max-Age': '7200',
})

/** Names the parameters and members that the request has and the operation does not read. */
export const IGNORED_HEADER = 'Relata-Ignored'

const MAX_IGNORED_LENGTH = 1000

/** Joins the names, percent-encoded between slashes, as far as they fit. The last one is `...` if there are more. */
export function ignoredNames(names: readonly string[]): string {
  const encoded = names.map((name) =>
    name
      .split(/([/?])/)
      .map(encodePart)
      .join(''),
  )
  let length = 0
  const fitting = encoded.filter((name) => (length += name.length + 2) <= MAX_IGNORED_LENGTH)
  return [...fitting, ...(fitting.length < encoded.length ? ['...'] : [])].join(', ')
}

const encodePart = (part: string): string => (part === '/' || part === '?' ? part : encodeURIComponent(part))

const named = (brand: string, names: string[]) => names.map((name) => `x-${brand}-${name}`)
