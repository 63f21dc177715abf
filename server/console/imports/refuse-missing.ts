/** Imports by members who may not shape the data: they fill what is there and add nothing to it. Decision 0072. */

import { importNeedsAdmin } from '../../errors/errors'

/** What an import would make before it begins. */
export interface Additions {
  /** Titles. */
  readonly attributes: readonly string[]
  /** By the slug of their attribute. */
  readonly options: Iterable<readonly [string, readonly string[]]>
}

const MOST_NAMED = 3

/** Throws 403 for whoever is no admin, when there is anything to make. */
export function refuseAdditions(accessLevel: string | undefined, { attributes, options }: Additions): void {
  if (accessLevel === 'admin') return
  const missing = [
    ...attributes.map((title) => `the attribute "${title}"`),
    ...[...options].flatMap(([slug, titles]) => titles.map((title) => `the option "${title}" of ${slug}`)),
  ]
  if (missing.length === 0) return
  const rest = missing.length - MOST_NAMED
  throw importNeedsAdmin(missing.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : ''))
}
