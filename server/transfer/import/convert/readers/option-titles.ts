/** Finds options by title without regard to case, since no two options of an attribute differ only in case. */

import type { Attribute } from '#engine/data-model/model'

/** The API has the same limit. */
export const MAX_TITLE_CHARACTERS = 255

const titlesOf = new WeakMap<Attribute, ReadonlyMap<string, string>>()

/** The title as the attribute spells it. Archived options are not found. */
export function findOptionTitle(attribute: Attribute, title: string): string | undefined {
  const titles = titlesOf.get(attribute) ?? collectTitles(attribute)
  return titles.get(simplify(title))
}

function collectTitles(attribute: Attribute): ReadonlyMap<string, string> {
  const current = attribute.options.filter(({ is_archived }) => !is_archived)
  const titles = new Map(current.map(({ title }) => [simplify(title), title]))
  titlesOf.set(attribute, titles)
  return titles
}

const simplify = (title: string): string => title.trim().toLowerCase()
