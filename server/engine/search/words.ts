/** Splits texts into normalised words, as `relata.search_words` does in the database. See docs/decisions/search.md. */

import { trimEnd } from '#base/text/csv-line'

const ASCII = /^[\p{ASCII}]*$/u
const ACCENTS = /[\u0300-\u036f]+/g
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

/** The index stores at most this many characters of a word. */
const MAX_WORD_LENGTH = 250

/** `relata.search_bounded` has the same limits: normalising a run of n combining marks takes n² steps. */
const MAX_TEXT_LENGTH = 30_000
const MAX_UNSEPARATED_LENGTH = 500
const UNSEPARATED = /[^ .@/_:-]+/g

/** The words of a text in lower case and without accents. Words consist of letters, digits and symbols such as emoji. */
export function wordsOf(text: string): string[] {
  const words = fold(text.length > MAX_UNSEPARATED_LENGTH ? bounded(text) : text)
    .split(SEPARATORS)
    .filter((word) => word !== '')
  return words.some(({ length }) => length > MAX_WORD_LENGTH)
    ? words.map((word) => firstCharacters(word, MAX_WORD_LENGTH))
    : words
}

const bounded = (text: string): string =>
  firstCharacters(text, MAX_TEXT_LENGTH)
    .replace(ACCENTS, (run) => run.slice(0, 32))
    .replace(UNSEPARATED, (run) => firstCharacters(run, MAX_UNSEPARATED_LENGTH))

/** Most texts are ASCII, in which only capitals and apostrophes change. */
const fold = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase().replaceAll("'", '')
    : text
        .normalize('NFKD')
        .replace(ACCENTS, '')
        .toLowerCase()
        .replace(ACCENTS, '')
        .replace(REPLACED, (letter) => LETTERS[letter] ?? letter)

/** PostgreSQL counts a character outside the basic plane as one; a JavaScript string has two units for it. */
const firstCharacters = (text: string, count: number): string =>
  text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join('')

const MAX_HANDLE_LENGTH = 250

/** The name in an address of a social network: the last part of https://network.com/in/name. */
export const handleOf = (text: string): string =>
  trimEnd(firstCharacters(text, MAX_HANDLE_LENGTH), '/').split('/').at(-1) ?? ''
