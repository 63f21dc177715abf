import { type CellConverter, limitLength, NO_VALUES, oneValue } from '#transfer/import/convert/conversion'

export const personalNameConverter: CellConverter = {
  convert: limitLength((text) => (text.trim() === '' ? NO_VALUES : oneValue(readName(text)))),
  parts: {
    names: ['first_name', 'last_name', 'full_name'],
    convert({ first_name = '', last_name = '', full_name }) {
      const name = joinName(first_name, last_name)
      return oneValue(full_name === undefined ? name : { ...name, full_name })
    },
  },
}

/** Names of people: `Ada Lovelace`, or `Lovelace, Ada` with a comma. */

interface NameParts {
  readonly first_name: string
  readonly last_name: string
  readonly full_name: string
}

/** The last word is the last name, with the particles before it: `Ludwig van Beethoven`. */
export function readName(text: string): NameParts {
  const name = text.replace(/\s+/g, ' ').trim()
  const comma = name.indexOf(',')
  if (comma >= 0) return joinName(name.slice(comma + 1), name.slice(0, comma))
  const words = name.split(' ')
  let start = Math.max(words.length - 1, 1)
  while (start > 1 && PARTICLES.has(words[start - 1] ?? '')) start--
  return joinName(words.slice(0, start).join(' '), words.slice(start).join(' '))
}

function joinName(first: string, last: string): NameParts {
  const [first_name, last_name] = [first.trim(), last.trim()]
  return { first_name, last_name, full_name: `${first_name} ${last_name}`.trim() }
}

/** Particles in lower case belong to the last name; capitalised ones are names like any other. */
const PARTICLES = new Set('af al bin da das de del den der des di do dos du el la le ten ter van von zu zur'.split(' '))
