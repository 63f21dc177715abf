/** Options and statuses of attributes. Each attribute's choices are read once, when they are first needed. */

import {
  type Attribute,
  type Choice,
  type ChoiceKind,
  type EntityTypePath,
  listChoices,
} from '../api/data-model/attributes'
import type { Loaded } from '../state/reads/loaded.svelte'
import { QueryCache } from '../state/reads/query-cache.svelte'

const cache = new QueryCache<Choice[]>()

const KINDS: Readonly<Record<string, ChoiceKind>> = { select: 'options', status: 'statuses' }

/** Undefined for types without choices. */
export const choiceKindOf = ({ type }: { readonly type: string }): ChoiceKind | undefined => KINDS[type]

/** The choices in the order of the attribute, archived ones included. Undefined until the read begins, and without choices. */
export function choicesOf(entityType: EntityTypePath, attribute: Attribute): Loaded<Choice[]> | undefined {
  const kind = choiceKindOf(attribute)
  if (kind === undefined) return undefined
  return cache.get(attribute.id.attribute_id, (signal) => listChoices(entityType, attribute.api_slug, kind, signal))
}

/** Reads the choices again when they are next needed: they may have changed in the settings. */
export const forgetChoices = (): void => cache.clear()
