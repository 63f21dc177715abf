/** The language of a request from a browser. */

import Negotiator from 'negotiator'
import { isLanguage, type Language, LANGUAGE_COOKIE, LANGUAGES } from '#vocabulary/languages'

/** A longer header is not parsed. */
const MAX_HEADER_LENGTH = 500

/** The language of a page without a script: the one of the request, or else English. */
export const pageLanguage = (request: Pick<Request, 'headers'>): Language => requestLanguage(request) ?? 'en'

/** The language that the console has set, or the first one of `Accept-Language` that exists. Undefined when the request names none. */
export function requestLanguage({ headers }: Pick<Request, 'headers'>): Language | undefined {
  const cookies = headers.get('cookie')?.split('; ') ?? []
  const stored = cookies.find((cookie) => cookie.startsWith(`${LANGUAGE_COOKIE}=`))?.slice(LANGUAGE_COOKIE.length + 1)
  if (isLanguage(stored)) return stored
  const accepted = headers.get('accept-language')
  if (accepted === null || accepted.length > MAX_HEADER_LENGTH) return undefined
  const [best] = new Negotiator({ headers: { 'accept-language': accepted } }).languages([...LANGUAGES])
  return isLanguage(best) ? best : undefined
}
