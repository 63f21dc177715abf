/** Which entries of the palette match a query, and in which order. */

import type { PaletteGroup, PaletteItem } from './items'

/** How well an entry matches: 0 not at all, 1 with its detail or further words, 2 with its label, 3 if the label begins with the query. */
function scoreOf(
  { label, detail = '', words = '' }: Pick<PaletteItem, 'label' | 'detail' | 'words'>,
  query: string,
): 0 | 1 | 2 | 3 {
  const [name, searched] = [label.toLowerCase(), query.toLowerCase()]
  if (name.startsWith(searched)) return 3
  const parts = searched.split(/\s+/)
  if (haveAll(name, parts)) return 2
  return haveAll(`${name} ${detail.toLowerCase()} ${words}`, parts) ? 1 : 0
}

/** Whether every part begins a word of the text. */
function haveAll(text: string, parts: readonly string[]): boolean {
  const words = text.split(/[\s“”"(]+/)
  return parts.every((part) => words.some((word) => word.startsWith(part)))
}

/** The matching entries, the best group first. An empty query keeps the order and hides entries that only a search shows. */
export function rankGroups(groups: readonly PaletteGroup[], query: string): readonly PaletteGroup[] {
  const searched = query.trim()
  if (searched === '') {
    return groups.flatMap(({ label, items }) =>
      present(
        label,
        items.filter((item) => !item.isSearchedOnly),
      ),
    )
  }
  const scored = groups.map(({ label, items }) => {
    const matches = items.map((item) => ({ item, score: scoreOf(item, searched) })).filter(({ score }) => score > 0)
    const sorted = matches.toSorted((one, other) => other.score - one.score)
    return { label, best: sorted[0]?.score ?? 0, items: sorted.map(({ item }) => item) }
  })
  return scored.toSorted((one, other) => other.best - one.best).flatMap(({ label, items }) => present(label, items))
}

/**
 * Adds the records that the service found. Their search also matches addresses and other values, so all are kept. They come
 * first only if no other group matches as well: entries must not move away from under Enter when the records arrive.
 */
export function addRecords(
  groups: readonly PaletteGroup[],
  records: readonly PaletteItem[],
  query: string,
): readonly PaletteGroup[] {
  if (records.length === 0) return groups
  const searched = query.trim()
  const best = (items: readonly PaletteItem[]) => Math.max(0, ...items.map((item) => scoreOf(item, searched)))
  const before = groups.findIndex(({ items }) => best(items) < Math.max(best(records), 2))
  return groups.toSpliced(before < 0 ? groups.length : before, 0, {
    label: 'Records',
    items: records,
  })
}

const present = (label: string, items: readonly PaletteItem[]): PaletteGroup[] =>
  items.length === 0 ? [] : [{ label, items }]
