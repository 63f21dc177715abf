/** How far a typed word is from another. */

/** Further letters of a word are not looked at for errors. */
export const MOST_COMPARED = 16

const ALPHABETS = [
  { of: /[a-z0-9]/, letters: 'abcdefghijklmnopqrstuvwxyz0123456789' },
  { of: /[а-я]/, letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюя' },
  { of: /[α-ω]/, letters: 'αβγδεζηθικλμνξοπρστυφχψω' },
]

/** Every word that becomes the given one by adding, dropping or changing one letter, or swapping two neighbours. */
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

/** The fewest edits that make `word` the beginning of `target`; more than `most` need not be told apart. */
export function editsToBeginning(word: string, target: string, most: 0 | 1 | 2): number {
  if (target.startsWith(word)) return 0
  if (most >= 1 && isOneEditFromBeginning(word, target)) return 1
  return most === 2 ? leastEdits([...word], [...target].slice(0, word.length + most)) : most + 1
}

/** Behind what the two have in common there is a letter to change, drop or add, or two to swap; the rest fits. */
function isOneEditFromBeginning(word: string, target: string): boolean {
  let same = 0
  while (word[same] === target[same]) same++
  const fits = (ofWord: number, ofTarget: number) => target.startsWith(word.slice(same + ofWord), same + ofTarget)
  const isSwapped = word[same] === target[same + 1] && word[same + 1] === target[same]
  return fits(1, 1) || fits(1, 0) || fits(0, 1) || (isSwapped && fits(2, 2))
}

function leastEdits(word: readonly string[], target: readonly string[]): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: target.length + 1 }, (_, index) => index)
  for (let i = 1; i <= word.length; i++) {
    const row = [i]
    for (let j = 1; j <= target.length; j++) {
      const changed = at(last, j - 1) + (word[i - 1] === target[j - 1] ? 0 : 1)
      const isSwapped = word[i - 1] === target[j - 2] && word[i - 2] === target[j - 1]
      const swapped = isSwapped ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(changed, swapped, at(last, j) + 1, at(row, j - 1) + 1))
    }
    beforeLast = last
    last = row
  }
  return Math.min(...last)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
