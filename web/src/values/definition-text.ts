/** What a computed attribute is made of, as a short text with the names of the API. */

import type { Attribute } from '../api/data-model/attributes'

type Computed = NonNullable<Attribute['computed']>

export function definitionText({ formula, lookup, rollup }: Computed): string {
  if (lookup !== undefined) return `Look-up: ${lookup.join(' → ')}`
  if (rollup !== undefined) return `Rollup: ${rollupText(rollup)}`
  return `Formula: ${formula}`
}

const rollupText = ({ through, of, function: name }: NonNullable<Computed['rollup']>): string =>
  of === undefined ? `${name}, ${through}` : `${name} (${of}), ${through}`
