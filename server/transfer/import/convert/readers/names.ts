/** Names of people: `Ada Lovelace`, or `Lovelace, Ada` with a comma. */

export interface NameParts {
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

export function joinName(first: string, last: string): NameParts {
  const [first_name, last_name] = [first.trim(), last.trim()]
  return { first_name, last_name, full_name: `${first_name} ${last_name}`.trim() }
}

/** Particles in lower case belong to the last name; capitalised ones are names like any other. */
const PARTICLES = new Set('af al bin da das de del den der des di do dos du el la le ten ter van von zu zur'.split(' '))
