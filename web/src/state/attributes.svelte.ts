/** The attributes of objects and lists. They are loaded when they are first needed, and again when a screen opens. */

import { type Attribute, listAttributes, type EntityTypePath } from '../api/data-model/attributes'
import { QueryCache } from './reads/query-cache.svelte'
import type { RemoteData } from './reads/remote-data.svelte'

const cache = new QueryCache<Attribute[]>()

const keyOf = ({ kind, slug }: EntityTypePath): string => `${kind}/${slug}`

/** The attributes in display order, archived ones included. Undefined until the read begins. */
export const attributesOf = (entityType: EntityTypePath): RemoteData<Attribute[]> | undefined =>
  cache.get(keyOf(entityType), (signal) => listAttributes(entityType, signal))

/** The attributes for a screen that opens: cached ones are shown at once and loaded again. */
export const openAttributes = (entityType: EntityTypePath): RemoteData<Attribute[]> =>
  cache.open(keyOf(entityType), (signal) => listAttributes(entityType, signal))

/** The cached attributes, or else freshly loaded ones. */
export const loadAttributes = (entityType: EntityTypePath): Promise<readonly Attribute[]> =>
  cache.load(keyOf(entityType), (signal) => listAttributes(entityType, signal))
