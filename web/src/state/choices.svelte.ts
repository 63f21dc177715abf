/** Options and statuses of attributes, each read when it is first asked for. */

import { type Attribute, type Choice, listChoices, type OwnerPath } from '../api/attributes'
import { Kept } from './query-cache.svelte'
import type { Loaded } from './loaded.svelte'

const kept = new Kept<Choice[]>()

/** In the order of the attribute, archived ones too. */
export function choicesOf(owner: OwnerPath, { id, api_slug, type }: Attribute): Loaded<Choice[]> | undefined {
  const kind = type === 'status' ? 'statuses' : 'options'
  return kept.get(id.attribute_id, (signal) => listChoices(owner, api_slug, kind, signal))
}

/** Somebody may have changed them in the settings. */
export const forgetChoices = (): void => kept.forget()
