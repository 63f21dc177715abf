/** The language of the page, which its build has, and the locale of its numbers and dates. */

import { isLanguage, type Language, LANGUAGE_COOKIE } from '#vocabulary/languages'

/** Undefined outside of a browser, where tests run. */
const page = globalThis.document?.documentElement

export const LANGUAGE: Language = isLanguage(page?.lang) ? page.lang : 'en'

/** The language as the browser prefers it, such as `de-AT`. Undefined for the locale of the system. */
export const LOCALE: string | undefined =
  page && (navigator.languages.find((locale) => locale.split('-', 1)[0] === LANGUAGE) ?? LANGUAGE)

/** The language for which the page was loaded again, so that a service that answers in another one causes no loop. */
const RELOADED_KEY = 'reloaded in language'

/** Shows the console in the language of the account: the service answers with the page in the language of the cookie. */
export function showIn(language: Language): void {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=/; max-age=31536000; samesite=lax${secure}`
  if (language === LANGUAGE) return sessionStorage.removeItem(RELOADED_KEY)
  if (sessionStorage.getItem(RELOADED_KEY) === language) return
  sessionStorage.setItem(RELOADED_KEY, language)
  // After a sign-in, the caller goes to the next page first.
  setTimeout(() => location.reload())
}

/** A noun in a sentence: German nouns keep their capital. */
export const nounInSentence = (noun: string): string => (LANGUAGE === 'de' ? noun : noun.toLowerCase())
