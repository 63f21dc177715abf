/** The languages of the console and of emails. Texts in the sources are English. */

export const LANGUAGES = ['en', 'de'] as const

export type Language = (typeof LANGUAGES)[number]

export const isLanguage = (text: string | null | undefined): text is Language =>
  LANGUAGES.some((language) => language === text)

/** How each language calls itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** The cookie with the language of a browser, which the console sets and the service reads when it answers with the page. */
export const LANGUAGE_COOKIE = 'language'
