/** Options and statuses of attributes. Each attribute's options are read once, when they are first needed. */

import {
  type Attribute,
  type Option,
  type OptionKind,
  type EntityTypePath,
  createOption,
  listOptions,
  type NewOption,
} from '../api/data-model/attributes'
import type { RemoteData } from '../state/reads/remote-data.svelte'
import { QueryCache } from '../state/reads/query-cache.svelte'

const cache = new QueryCache<Option[]>()

const KINDS: Readonly<Record<string, OptionKind>> = { select: 'options', status: 'statuses' }

/** Undefined for types without options. */
export const optionKindOf = ({ type }: { readonly type: string }): OptionKind | undefined => KINDS[type]

/** The options in the order of the attribute, archived ones included. Undefined until the read begins, and without options. */
export function optionsOf(entityType: EntityTypePath, attribute: Attribute): RemoteData<Option[]> | undefined {
  const kind = optionKindOf(attribute)
  if (kind === undefined) return undefined
  return cache.get(attribute.id.attribute_id, (signal) => listOptions(entityType, attribute.api_slug, kind, signal))
}

/** Creates an option and returns it. Pickers offer it at once. */
export async function addOption(entityType: EntityTypePath, attribute: Attribute, input: NewOption): Promise<Option> {
  const kind = optionKindOf(attribute)
  if (kind === undefined) throw new Error(`Attributes of type ${attribute.type} have no options.`)
  const option = await createOption(entityType, attribute.api_slug, kind, input)
  const options = optionsOf(entityType, attribute)
  if (options?.data) options.data = [...options.data, option]
  return option
}

/** Reads the options again when they are next needed: they may have changed in the settings. */
export const forgetOptions = (): void => cache.clear()
