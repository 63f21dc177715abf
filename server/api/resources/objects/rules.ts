/** The rules for slugs and nouns of objects. See docs/reference/objects-and-attributes.md (Slugs, Objects). */

import { OBJECT_ALIASES } from '#engine/data-model/standard-slugs'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { invalidBody } from '#base/errors/http'
import { nounConflict, slugConflict } from '#base/errors/objects'
import type { ObjectChange } from './schemas'

/** `records` is part of the path of a search; the others are slugs and aliases of standard objects. */
const RESERVED_SLUGS = new Set(['records', ...OBJECT_ALIASES.keys(), ...OBJECT_ALIASES.values()])

/** Refuses slugs that no custom object may have. */
export function refuseReservedSlug(slug: string | undefined): void {
  if (slug === undefined || !RESERVED_SLUGS.has(slug)) return
  const message = `"${slug}" is reserved and cannot be the slug of a custom object`
  throw invalidBody([{ code: 'invalid', path: ['data', 'api_slug'], message }])
}

/** Refuses a slug and nouns that another object has, also a disabled one. */
export function refuseTaken(model: DataModel, input: ObjectChange, self?: ObjectType): void {
  const { api_slug, singular_noun, plural_noun } = input
  for (const other of model.entityTypes) {
    if (other.kind !== 'object' || other.id === self?.id) continue
    if (other.api_slug === api_slug) throw slugConflict('object', api_slug)
    if (other.singular_noun === singular_noun) throw nounConflict(singular_noun)
    if (other.plural_noun === plural_noun) throw nounConflict(plural_noun)
  }
}
