/** The image attribute of a record, which its avatar shows. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import type { Entity } from '../../../api/records/entities'

/** By slug. The first one that an object has is its image. */
const IMAGE_SLUGS = ['avatar', 'avatar_url', 'logo', 'logo_url', 'image', 'image_url', 'photo']

/** Only text attributes hold the URL of an image. */
export const imageSlug = (attributes: readonly Attribute[]): string | undefined =>
  IMAGE_SLUGS.find((slug) =>
    attributes.some(({ api_slug, type, is_archived }) => api_slug === slug && type === 'text' && !is_archived),
  )

/** Undefined for entries, which refer to their record, and for records of activities. */
export function avatarOf(
  { kind, slug }: EntityTypePath,
  { values }: Entity,
): { readonly object: string; readonly image: unknown } | undefined {
  if (kind !== 'objects') return undefined
  const image = IMAGE_SLUGS.find((name) => values[name]?.[0] !== undefined)
  return { object: slug, image: image === undefined ? undefined : values[image]?.[0]?.value }
}
