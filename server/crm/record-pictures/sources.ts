/** From where the service fetches the picture of a record. See docs/reference/records.md (Pictures). */

import { findAttribute } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import type { StoredEntity } from '#engine/storage/read-entities'

/** The URL of a picture, or a domain whose web page has an icon. */
export type PictureSource = { readonly url: string } | { readonly domain: string }

/** The slugs of attributes with the URL of a picture. The first one that an object has is used. */
const URL_SLUGS = ['avatar_url', 'logo_url', 'avatar', 'logo', 'image', 'image_url', 'photo']

/** The attributes of an object that name sources, as far as the settings of the workspace allow them. */
export function sourceAttributes({ workspace }: DataModel, object: ObjectType): Attribute[] {
  const active = (slug: string): Attribute[] => {
    const attribute = findAttribute(object, slug)
    return attribute?.is_archived === false ? [attribute] : []
  }
  return [
    ...(workspace.fetches_pictures ? URL_SLUGS.flatMap(active).slice(0, 1) : []),
    ...(workspace.fetches_company_logos && object.standard_slug === 'companies' ? active('domains') : []),
  ]
}

/** The sources of a record in the order in which they are tried. */
export function sourcesOf(attributes: readonly Attribute[], record: StoredEntity): PictureSource[] {
  return attributes.flatMap((attribute): PictureSource[] => {
    const { domain, value } = record.valuesOf(attribute)[0]?.stored ?? {}
    if (typeof domain === 'string') return [{ domain }]
    return typeof value === 'string' && /^https?:\/\//i.test(value.trim()) ? [{ url: value.trim() }] : []
  })
}

/** Differs whenever the sources do. */
export const hashOfSources = (sources: readonly PictureSource[]): Buffer =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(sources)).digest()
