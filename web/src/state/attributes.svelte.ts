/** The attributes of objects and lists, each read once and again when a screen opens it. */

import { type Attribute, listAttributes, type OwnerPath } from '../api/attributes'
import { Loaded } from './loaded.svelte'
import { session } from './session.svelte'

const known = new Map<string, Loaded<Attribute[]>>()

const keyOf = ({ kind, slug }: OwnerPath): string => `${session.workspace?.id}/${kind}/${slug}`

/** In display order, archived ones too. */
export function attributesOf(owner: OwnerPath): Loaded<Attribute[]> {
  const present = known.get(keyOf(owner))
  if (present) return present
  const fresh = new Loaded((signal) => listAttributes(owner, signal))
  known.set(keyOf(owner), fresh)
  return fresh
}

/** For a screen that is opened: what is known is shown at once, and read again. */
export function refreshAttributes(owner: OwnerPath): Loaded<Attribute[]> {
  const isKnown = known.has(keyOf(owner))
  const loaded = attributesOf(owner)
  if (isKnown) void loaded.load()
  return loaded
}

/** Waits for those that are needed for something else. */
export async function attributesOnce(owner: OwnerPath): Promise<readonly Attribute[]> {
  const loaded = attributesOf(owner)
  if (loaded.data) return loaded.data
  loaded.data ??= await listAttributes(owner)
  return loaded.data
}
