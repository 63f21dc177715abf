/** The attributes of objects and lists, each read when first asked for and again when a screen opens it. */

import { type Attribute, listAttributes, type EntityTypePath } from '../api/data-model/attributes'
import { QueryCache } from './query-cache.svelte'
import type { Loaded } from './loaded.svelte'

const cache = new QueryCache<Attribute[]>()

const keyOf = ({ kind, slug }: EntityTypePath): string => `${kind}/${slug}`

/** In display order, archived ones too. Undefined for the moment in which they are asked for. */
export const attributesOf = (entityType: EntityTypePath): Loaded<Attribute[]> | undefined =>
  cache.get(keyOf(entityType), (signal) => listAttributes(entityType, signal))

/** For a screen that is opened: what is known is shown at once, and read again. */
export const openAttributes = (entityType: EntityTypePath): Loaded<Attribute[]> =>
  cache.open(keyOf(entityType), (signal) => listAttributes(entityType, signal))

/** Those that are needed for something else. */
export const loadAttributes = async (entityType: EntityTypePath): Promise<readonly Attribute[]> =>
  attributesOf(entityType)?.data ?? (await listAttributes(entityType))
