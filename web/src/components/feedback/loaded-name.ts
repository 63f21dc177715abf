/** The name of what a section loads, for its error: "Couldn't load members". */

import { getContext, setContext } from 'svelte'
import { LANGUAGE } from '../../language'

const KEY = Symbol('loaded name')

/** For use while a section is created. */
export const provideLoadedName = (title: () => string): void => void setContext(KEY, title)

export const findLoadedName = (): string | undefined => {
  const title = getContext<(() => string) | undefined>(KEY)
  return title && inSentence(title())
}

/** A title within a sentence. Only abbreviations begin with a capital: "API keys", "members". In German, titles are nouns. */
export const inSentence = (title: string): string =>
  LANGUAGE === 'de' || /^\p{Lu}\p{Lu}/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)
