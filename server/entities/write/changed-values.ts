/**
 * The values of an attribute before and after a change, told to those who asked for them.
 * See docs/reference/webhooks-and-events.md (Values in events); decision 0067.
 */

import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import type { ChangeEvent, ChangedValues } from '../../events/event-types'
import type { AttributeChange } from '../../storage/entity-change'
import { compileVersions } from '../read/render'
import type { Version } from '../../storage/provenance'

/** So much JSON text for both together; whoever needs more reads it over the API. */
const MOST_CHARACTERS = 64 * 1024

/**
 * As the API answered them before the write and answers them after it. Undefined when nobody wants them, when they are too
 * long, and for lists that not everyone in the workspace may see.
 */
export function valuesToTell(
  model: DataModel,
  entityType: EntityType,
  { attribute, before, after }: AttributeChange,
): ChangedValues | undefined {
  if (!model.includesValues || (entityType.kind === 'list' && entityType.workspace_access === null)) return undefined
  const values = { previous: textOf(model, attribute, before), new: textOf(model, attribute, after) }
  return values.previous.length + values.new.length > MOST_CHARACTERS ? undefined : values
}

const textOf = (model: DataModel, attribute: Attribute, versions: readonly Version[]): string =>
  compileVersions(attribute, model)(versions.map((version) => ({ ...version, active_until: null })))

/** One change that two steps made or found: from before the first to after the second. */
export function joinValues(first: ChangeEvent, second: ChangeEvent): ChangeEvent {
  const { values, ...event } = first
  if (values === undefined || second.values === undefined) return event as ChangeEvent // `values` is optional
  return { ...first, values: { previous: values.previous, new: second.values.new } }
}
