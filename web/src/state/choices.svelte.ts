/** Options and statuses of attributes, each read when it is first asked for. */

import { type Attribute, type Choice, listChoices, type EntityTypePath } from '../api/data-model/attributes'
import { QueryCache } from './query-cache.svelte'
import type { Loaded } from './loaded.svelte'

const cache = new QueryCache<Choice[]>()

/** In the order of the attribute, archived ones too. */
export function choicesOf(entityType: EntityTypePath, { id, api_slug, type }: Attribute): Loaded<Choice[]> | undefined {
  const kind = type === 'status' ? 'statuses' : 'options'
  return cache.get(id.attribute_id, (signal) => listChoices(entityType, api_slug, kind, signal))
}

/** Somebody may have changed them in the settings. */
export const forgetChoices = (): void => cache.forget()
