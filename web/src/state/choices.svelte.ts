/** Options and statuses of attributes, each read once and again when it is asked for anew. */

import { type Attribute, type Choice, listChoices, type OwnerPath } from '../api/attributes'
import { Loaded } from './loaded.svelte'

const known = new Map<string, Loaded<Choice[]>>()

/** In the order of the attribute, archived ones too. */
export function choicesOf(owner: OwnerPath, { id, api_slug, type }: Attribute): Loaded<Choice[]> {
  const present = known.get(id.attribute_id)
  if (present) return present
  const kind = type === 'status' ? 'statuses' : 'options'
  const fresh = new Loaded((signal) => listChoices(owner, api_slug, kind, signal))
  known.set(id.attribute_id, fresh)
  return fresh
}

/** Somebody may have changed them in the settings. */
export function forgetChoices(): void {
  known.clear()
}
