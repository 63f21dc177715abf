/**
 * The part of an attribute's configuration that belongs to its type.
 * See docs/reference/objects-and-attributes.md (Attribute configuration).
 */

import type { TSchema, Static } from 'typebox'
import { attributeType } from '../../attribute-types/registry'
import { findObject } from '../../data-model/find'
import type { Attribute, AttributeConfig, DataModel } from '../../data-model/model'
import { invalidBody } from '../../errors/http'
import { standardObjectDisabled, unknownObject } from '../../errors/objects'
import { compileCheck } from '../../validation/compile-check'
import { type ConfigInput, CurrencyConfig, ReferenceConfig } from './schemas'

const checkCurrency = compileCheck(CurrencyConfig)
const checkReference = compileCheck(ReferenceConfig)

/** Returns the configuration of a new attribute. */
export function parseConfig(model: DataModel, type: Attribute['type'], input: ConfigInput): AttributeConfig {
  return { ...attributeType(type).initialConfig, ...parseConfigChange(model, type, input) }
}

/** Returns the changes of the configuration that belong to the type; empty when there are none. */
export function parseConfigChange(model: DataModel, type: Attribute['type'], input: ConfigInput): AttributeConfig {
  if (type === 'currency' && input.currency !== undefined) {
    return { currency: checked(CurrencyConfig, checkCurrency, 'currency', input.currency) }
  }
  if (type === 'record-reference' && input.record_reference !== undefined) {
    const { allowed_objects } = checked(ReferenceConfig, checkReference, 'record_reference', input.record_reference)
    const ids = allowed_objects.map((slugOrId) => objectId(model, slugOrId))
    return { record_reference: { allowed_object_ids: [...new Set(ids)] } }
  }
  return {}
}

/** Returns the id of an object that a body names. */
export function objectId(model: DataModel, slugOrId: string): string {
  const object = findObject(model, slugOrId)
  if (!object) throw unknownObject(slugOrId)
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  return object.id
}

function checked<T extends TSchema>(
  _schema: T,
  check: ReturnType<typeof compileCheck<T>>,
  member: keyof ConfigInput,
  value: unknown,
): Static<T> {
  const issues = check(value).map((issue) => ({ ...issue, path: ['data', 'config', member, ...issue.path] }))
  if (issues.length > 0) throw invalidBody(issues)
  return value as Static<T> // just checked against it
}
