/** The values that a form of a new record has when it opens: default values, and who fills it. */

import type { Attribute } from '../../../api/data-model/attributes'
import type { Value, ValuesInput } from '../../../api/records/entities'
import { session } from '../../../state/session.svelte'
import { valueTypeOf } from '../../../values/registry'

/** Dates and times relative to now are left out: the service computes them. */
export const initialInputs = (attributes: readonly Attribute[]): ValuesInput =>
  Object.fromEntries(
    attributes.map((one) => [one.api_slug, initialInput(one)] as const).filter(([, input]) => input.length > 0),
  )

function initialInput(attribute: Attribute): readonly unknown[] {
  const { default_value, is_default_value_enabled, is_required } = attribute
  const set = is_default_value_enabled ? default_value : null
  if (set?.type === 'static') return set.template.map((value) => inputOf(attribute, value))
  const isMember = valueTypeOf(attribute).defaultEditor === 'member'
  return isMember && (set !== null || is_required) ? [signedInMember()] : []
}

/** The service answers a default value as an object with the members of a value. */
const inputOf = (attribute: Attribute, value: unknown): unknown =>
  typeof value === 'object' && value !== null ? valueTypeOf(attribute).input(value as Value) : value

const signedInMember = () => ({
  referenced_actor_type: 'workspace-member',
  referenced_actor_id: session.workspace?.workspace_member_id,
})
