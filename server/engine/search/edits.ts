/** The edit distance between a typed word and the words of records. */

import { editDistances } from '#base/text/edit-distance'

/** Letters of a typed word after these are not compared for errors. */
export const MAX_COMPARED_LETTERS = 16

const ALPHABETS = [
  { of: /[a-z0-9]/, letters: 'abcdefghijklmnopqrstuvwxyz0123456789' },
  { of: /[а-я]/, letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюя' },
  { of: /[α-ω]/, letters: 'αβγδεζηθικλμνξοπρστυφχψω' },
]

/** Every word that differs from the given one by an added, missing or changed letter, or by two adjacent letters swapped. */
export function oneEditAway(word: string): Set<string> {
  const letters = [...word]
  const alphabet = ALPHABETS.filter(({ of }) => of.test(word)).flatMap((each) => [...each.letters])
  const found = new Set<string>()
  for (let index = 0; index < letters.length; index++) {
    const [before, [letter = '', next = '', ...after]] = [letters.slice(0, index).join(''), letters.slice(index)]
    const rest = next + after.join('')
    found.add(before + rest)
    if (next !== '') found.add(before + next + letter + after.join(''))
    for (const other of alphabet) {
      found.add(before + other + rest)
      found.add(before + other + letter + rest)
    }
  }
  found.delete(word)
  return found
}

/** The least number of edits that make `word` a prefix of `target`. The result is exact up to `max`. */
export function editsToPrefix(word: string, target: string, max: 0 | 1 | 2): number {
  if (target.startsWith(word)) return 0
  if (max >= 1 && isOneEditFromPrefix(word, target)) return 1
  return max === 2 ? Math.min(...editDistances([...word], [...target].slice(0, word.length + max))) : max + 1
}

/** Whether one edit right after the common prefix makes the rest of `word` a prefix of the rest of `target`. */
function isOneEditFromPrefix(word: string, target: string): boolean {
  let common = 0
  while (word[common] === target[common]) common++
  const fits = (ofWord: number, ofTarget: number) => target.startsWith(word.slice(common + ofWord), common + ofTarget)
  const isSwapped = word[common] === target[common + 1] && word[common + 1] === target[common]
  return fits(1, 1) || fits(1, 0) || fits(0, 1) || (isSwapped && fits(2, 2))
}
