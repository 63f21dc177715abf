/** Converts the values of one record or entry of the source to those that are written to the target. */

import { isJsonObject, type Json } from '#run/cli/copy/api/api-client'
import type { CopyContext } from '#run/cli/copy/copy-context'
import type { CopiedAttribute } from '#run/cli/copy/shapes'

export interface Converted {
  readonly values: Json
  /** Whether a referenced record has no copy yet. */
  readonly isPending: boolean
}

interface Item {
  readonly kind: 'record' | 'entry'
  readonly sourceId: string
  readonly values: Json
}

/** A value of the target; or why there is none. */
type Outcome = { readonly value: unknown } | { readonly problem: string; readonly isPending?: true }

/** `attributes` are those of the target that have a partner at the source. */
export function convertValues(context: CopyContext, attributes: readonly CopiedAttribute[], item: Item): Converted {
  const values: Json = {}
  let isPending = false
  for (const { api_slug, type, is_required } of attributes) {
    if (!Object.hasOwn(item.values, api_slug)) continue
    const given = item.values[api_slug]
    if (!Array.isArray(given)) {
      context.problems.add(item.kind, item.sourceId, 'The value of the source is not an array.', api_slug)
      continue
    }
    const outcomes = given.map((value: unknown) => convertValue(context, type, value))
    const converted = outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []))
    for (const outcome of outcomes) {
      if ('value' in outcome) continue
      context.problems.add(item.kind, item.sourceId, outcome.problem, api_slug)
      isPending ||= outcome.isPending === true
    }
    // A required attribute takes no empty value; its default value or an error applies.
    if (converted.length > 0 || !is_required) values[api_slug] = converted
  }
  return { values, isPending }
}

/** The types whose values name ids of the source. */
const CONVERTERS: ReadonlyMap<string, (context: CopyContext, value: Json) => Outcome> = new Map([
  ['select', (_context: CopyContext, { option }: Json) => convertOption(option)],
  ['status', (_context: CopyContext, { status }: Json) => convertOption(status)],
  ['actor-reference', convertActor],
  ['record-reference', convertReference],
])

export const hasIdsInValues = (type: string): boolean => CONVERTERS.has(type)

function convertValue(context: CopyContext, type: string, value: unknown): Outcome {
  if (!isJsonObject(value)) return { problem: 'The value of the source is not an object.' }
  const convert = CONVERTERS.get(type)
  if (convert !== undefined) return convert(context, value)
  // The target derives these members itself.
  const {
    active_from: _from,
    active_until: _until,
    created_by_actor: _actor,
    attribute_type: _type,
    ...members
  } = value
  return { value: members }
}

function convertOption(option: unknown): Outcome {
  if (!isJsonObject(option) || typeof option.title !== 'string') return { problem: 'The option has no title.' }
  if (option.is_archived === true) return { problem: `The option "${option.title}" is archived.` }
  return { value: option.title }
}

/** Returns the member of the target with the same email address, or a problem. */
export function convertActor(context: CopyContext, value: Json): Outcome {
  const { referenced_actor_type, referenced_actor_id: id } = value
  if (referenced_actor_type !== 'workspace-member') return { problem: 'The value names an actor that is no member.' }
  const member = typeof id === 'string' ? context.members.get(id) : undefined
  if (member === undefined) return { problem: 'No member of the target has the email address of this member.' }
  return { value: { referenced_actor_type, referenced_actor_id: member } }
}

/** Returns a reference to the copy of the record. The problem is pending while the record has no copy yet. */
export function convertReference({ state }: CopyContext, value: Json): Outcome {
  const { target_object, target_record_id: id } = value
  if (typeof target_object !== 'string' || typeof id !== 'string') return { problem: 'The reference has no record.' }
  const copy = state.find('record', id)
  if (copy === undefined) return { problem: `The record ${id} of ${target_object} has no copy.`, isPending: true }
  return { value: { target_object, target_record_id: copy.id } }
}
