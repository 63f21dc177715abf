/** A generated text has marks around the base of each dot access. PostgreSQL needs parentheses there; a caller may leave them out. */

import type { Random } from '../../../../e2e/bench/data/random'

const BEGIN = '\u0001'
const END = '\u0002'
const MARKED = new RegExp(`${BEGIN}([^${BEGIN}${END}]*)${END}`, 'g')

export const dotted = (base: string, member: string): string => `${BEGIN}${base}${END}.${member}`

export const toPostgres = (text: string): string => text.replace(MARKED, '($1)')

export const toCaller = (text: string, random: Random): string =>
  text.replace(MARKED, (_marked, base: string) => (random.below(4) === 0 ? `(${base})` : base))
