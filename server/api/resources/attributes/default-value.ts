/**
 * Checks default values against their attribute. They are stored in the form in which they are shown.
 * See docs/reference/objects-and-attributes.md (Default values).
 */

import { outputTemplate } from '#engine/attribute-types/definition/output-template'
import { findTarget } from '#engine/attribute-types/formats/references'
import { attributeType } from '#engine/attribute-types/registry'
import { isObject } from '#engine/attribute-types/definition/shorthand'
import type { RequestContext } from '#context'
import { DURATION_PATTERN } from '#engine/data-model/durations'
import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, DataModel, DefaultValue, EntityType } from '#engine/data-model/model'
import { invalidBody } from '#base/errors/http'
import { timestampFromMicros } from '#base/timing/clock'
import { createRecordLookup } from '#engine/storage/record-lookup'
import { parseEach } from '#engine/entities/write/parse-values'
import { resolveEach } from '#engine/entities/write/resolve-values'
import { refuseDefault } from './rules'
import type { DefaultValueInput } from './schemas'

/** Returns the default value to store; null for a template without values. Throws 400. */
export async function parseDefault(
  context: RequestContext,
  { tx, model }: ModelChange,
  entityType: EntityType,
  attribute: Attribute,
  input: DefaultValueInput,
): Promise<DefaultValue | null> {
  if (input === null) return null
  refuseDefault(entityType)
  if (input.type === 'dynamic') {
    refuseTemplate(context, attribute, input.template)
    return input
  }
  if (input.template.length > 1 && !attribute.is_multiselect) throw invalidTemplate('This attribute takes one value')
  refuseUnknownTargets(model, attribute, input.template)
  const parsed = parseEach(model, attribute, input.template)
  const values = await resolveEach(model, attribute, parsed, createRecordLookup(tx, model))
  if (values.length === 0) return null
  return { type: 'static', template: values.map((stored) => outputTemplate(attribute, model, stored)) }
}

/** Throws `invalid_value` for unknown objects, for which a value of a record throws `value_not_found`. See docs/reference/errors-and-limits.md (Codes). */
function refuseUnknownTargets(model: DataModel, { type }: Attribute, template: readonly unknown[]): void {
  if (!attributeType(type).refersToRecords) return
  for (const value of template) {
    const target = isObject(value) ? value.target_object : undefined
    if (typeof target === 'string' && !findTarget(model, target))
      throw invalidTemplate(`Cannot find object with slug/ID "${target}"`)
  }
}

function refuseTemplate(context: RequestContext, { type }: Attribute, template: string): void {
  const { dynamicDefault } = attributeType(type)
  if (dynamicDefault === 'actor') {
    if (template !== 'current-user') throw invalidTemplate(`The dynamic default of this type is 'current-user'`)
    return
  }
  if (dynamicDefault !== 'time') throw invalidTemplate(`Attributes of type ${type} have no dynamic default`)
  if (!isDuration(template)) throw invalidTemplate('Expected an ISO 8601 duration such as P1M')
  if (!isWithinTime(context, template)) throw invalidTemplate('This duration leads beyond the year 9999')
}

/** The pattern allows a fraction in every unit, but only the smallest unit may have one. */
function isDuration(text: string): boolean {
  // oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the pattern where it stands
  if (!new RegExp(DURATION_PATTERN).test(text)) return false
  try {
    Temporal.Duration.from(text)
    return true
  } catch {
    return false
  }
}

function isWithinTime(context: RequestContext, duration: string): boolean {
  try {
    const now = Temporal.Instant.from(timestampFromMicros(context.now())).toZonedDateTimeISO('UTC')
    return now.add(duration).year <= 9999
  } catch {
    return false
  }
}

const invalidTemplate = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'default_value', 'template'], message }])
