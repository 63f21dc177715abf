/** Sorts in the URL: `-amount,name` sorts by amount, descending, then by name. */

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

/** Sorts along a path have no form in the URL; only saved views hold them. */
export const sortsText = (sorts: readonly SortInput[]): string =>
  sorts
    .flatMap(({ attribute, direction }) => {
      if (attribute === undefined) return []
      return direction === 'desc' ? `-${attribute}` : attribute
    })
    .join(',')

/** The sorts after a press on a heading: ascending, descending, unsorted. `isAdded` keeps the other sorts. */
export function nextSorts(sorts: readonly SortInput[], attribute: string, isAdded: boolean): readonly SortInput[] {
  const now = sorts.find((sort) => sort.attribute === attribute)?.direction
  const others = isAdded ? sorts.filter((sort) => sort.attribute !== attribute) : []
  if (now === 'desc') return others
  return [...others, { attribute, direction: now === 'asc' ? 'desc' : 'asc' }]
}
