/** Options by title, whatever their capitals: an attribute never has two that differ in nothing else. */

import type { Attribute } from '../../../data-model/model'

/** As the API has it. */
export const LONGEST_TITLE = 255

const titlesOf = new WeakMap<Attribute, ReadonlyMap<string, string>>()

/** The title as the attribute has it, of an option that can be chosen. */
export function findOptionTitle(attribute: Attribute, title: string): string | undefined {
  const known = titlesOf.get(attribute) ?? collect(attribute)
  return known.get(simplify(title))
}

function collect(attribute: Attribute): ReadonlyMap<string, string> {
  const current = attribute.options.filter(({ is_archived }) => !is_archived)
  const titles = new Map(current.map(({ title }) => [simplify(title), title]))
  titlesOf.set(attribute, titles)
  return titles
}

const simplify = (title: string): string => title.trim().toLowerCase()
