/** The attributes of objects and lists, each read when first asked for and again when a screen opens it. */

import { type Attribute, listAttributes, type OwnerPath } from '../api/attributes'
import { Kept } from './query-cache.svelte'
import type { Loaded } from './loaded.svelte'

const kept = new Kept<Attribute[]>()

const keyOf = ({ kind, slug }: OwnerPath): string => `${kind}/${slug}`

/** In display order, archived ones too. Undefined for the moment in which they are asked for. */
export const attributesOf = (owner: OwnerPath): Loaded<Attribute[]> | undefined =>
  kept.get(keyOf(owner), (signal) => listAttributes(owner, signal))

/** For a screen that is opened: what is known is shown at once, and read again. */
export const openAttributes = (owner: OwnerPath): Loaded<Attribute[]> =>
  kept.open(keyOf(owner), (signal) => listAttributes(owner, signal))

/** Those that are needed for something else. */
export const attributesOnce = async (owner: OwnerPath): Promise<readonly Attribute[]> =>
  attributesOf(owner)?.data ?? (await listAttributes(owner))
