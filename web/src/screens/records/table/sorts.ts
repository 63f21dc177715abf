/** Sorts in the address: `-amount,name` for the greatest amount first, then by name. */

import type { SortInput } from '../../../api/records/entities'

export function readSorts(text: string | null): readonly SortInput[] | undefined {
  if (text === null) return undefined
  return text
    .split(',')
    .filter((part) => part !== '' && part !== '-')
    .map((part) =>
      part.startsWith('-') ? { attribute: part.slice(1), direction: 'desc' } : { attribute: part, direction: 'asc' },
    )
}

/** Those along a path have no short form; only views hold them. */
export const sortsText = (sorts: readonly SortInput[]): string =>
  sorts
    .flatMap(({ attribute, direction }) => {
      if (attribute === undefined) return []
      return direction === 'desc' ? `-${attribute}` : attribute
    })
    .join(',')

/** Up, down, and as it was: what one more press on a heading does. `isAdded` keeps the other sorts. */
export function nextSorts(sorts: readonly SortInput[], attribute: string, isAdded: boolean): readonly SortInput[] {
  const now = sorts.find((sort) => sort.attribute === attribute)?.direction
  const others = isAdded ? sorts.filter((sort) => sort.attribute !== attribute) : []
  if (now === 'desc') return others
  return [...others, { attribute, direction: now === 'asc' ? 'desc' : 'asc' }]
}
