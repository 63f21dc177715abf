/**
 * The part of an attribute's configuration that belongs to its type.
 * See docs/reference/objects-and-attributes.md (Attribute configuration).
 */

import type { AttributeConfig, DataModel } from '#engine/data-model/model'
import type { TypeName } from '#vocabulary/data-model'
import { invalidBody } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import { attributeType, attributeTypes } from '#engine/attribute-types/registry'

/** The configuration in a request, not checked. */
export type ConfigInput = Readonly<Partial<Record<keyof AttributeConfig, unknown>>>

const CHECKS = new Map(
  Object.values(attributeTypes).flatMap(({ config }) =>
    config ? [[config, compileCheck(config.input)] as const] : [],
  ),
)

/** The configuration of a new attribute. */
export const parseConfig = (model: DataModel, type: TypeName, input: ConfigInput): AttributeConfig => ({
  ...attributeType(type).config?.initial,
  ...parseConfigChange(model, type, input),
})

/** The configuration that the input gives; empty when it has no member of the type. Throws errors of the catalogue. */
export function parseConfigChange(model: DataModel, type: TypeName, input: ConfigInput): AttributeConfig {
  const { config } = attributeType(type)
  const given = config && input[config.member]
  if (config === undefined || given === undefined) return {}
  const issues = CHECKS.get(config)?.(given) ?? []
  if (issues.length === 0) return config.parse(given, model)
  throw invalidBody(issues.map((issue) => ({ ...issue, path: ['data', 'config', config.member, ...issue.path] })))
}
