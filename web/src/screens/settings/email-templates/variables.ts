/** The variables that a template of an object is offered. The service decides which ones it accepts. */

import type { Attribute } from '../../../api/data-model/attributes'

/** Parts of the name of a person. */
const NAME_PARTS = ['first_name', 'last_name', 'full_name']

/** Actors have no text for recipients. */
const NO_TEXTS: readonly Attribute['type'][] = ['actor-reference']

export function variablesIn(attributes: readonly Attribute[]): string[] {
  const offered = attributes.filter(({ type, is_archived }) => !is_archived && !NO_TEXTS.includes(type))
  const hasName = offered.some(({ type }) => type === 'personal-name')
  return [...(hasName ? NAME_PARTS : []), ...offered.map(({ api_slug }) => api_slug)]
}
