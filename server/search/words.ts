/** Text made alike before it is compared, as `relata.search_words` does in the database. Decision 0031. */

import { trimEnd } from '../text/trim-end'

const ASCII = /^[\p{ASCII}]*$/u
const MARKS = /[\u0300-\u036f]+/g
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ς: 'σ',
  "'": '',
  '’': '',
}
// oxlint-disable-next-line relata/no-super-linear-regexp -- one set of letters
const REPLACED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const SEPARATORS = /[\p{Cc}\u0020-\u002f\u003a-\u0060\u007b-\u00bf\u1680\u2000-\u206f\u3000-\u303f]+/u

/** The database keeps no more of a word. */
const MOST_LETTERS = 250

/** The words of a text in small letters without accents; what is neither a letter nor a digit nor a sign stands between. */
export function wordsOf(text: string): string[] {
  const words = fold(text)
    .split(SEPARATORS)
    .filter((word) => word !== '')
  return words.some(({ length }) => length > MOST_LETTERS) ? words.map(cut) : words
}

/** Most texts are plain ASCII, of which only the capitals and apostrophes change. */
const fold = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase().replaceAll("'", '')
    : text
        .normalize('NFKD')
        .replace(MARKS, '')
        .toLowerCase()
        .replace(MARKS, '')
        .replace(REPLACED, (letter) => LETTERS[letter] ?? letter)

const cut = (word: string): string => [...word].slice(0, MOST_LETTERS).join('')

/** Of an address such as https://network.com/in/name only the last part is a person's or company's own. */
export const handleOf = (text: string): string => trimEnd(text, '/').split('/').at(-1) ?? ''
