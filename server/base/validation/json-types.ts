/** The JSON types of schemas and of values. */

import { excerpt } from '#base/text/excerpt'

/** The part of JSON Schema that our schemas use. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: JsonSchema[]
  readonly oneOf?: JsonSchema[]
  readonly allOf?: JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly [keyword: string]: unknown
}

/** Returns the literals of a schema that allows only literals and null. */
export function literalsOf(schema: JsonSchema): unknown[] | undefined {
  if ('const' in schema) return [schema.const]
  if (schema.enum !== undefined) return schema.enum.filter((choice) => choice !== null)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches === undefined) return undefined
  const choices = withoutNull(branches).map(literalsOf)
  return choices.length > 0 && choices.every((list) => list !== undefined) ? choices.flat() : undefined
}

/** Returns the JSON types that a schema allows, without null if there are others. */
export function jsonTypesOf(schema: JsonSchema): string[] {
  const choices = literalsOf(schema)
  if (choices !== undefined) return [...new Set(choices.map(jsonTypeOf))]
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return [...new Set(withoutNull(branches).flatMap(jsonTypesOf))]
  if (schema.allOf !== undefined) return [...new Set(schema.allOf.flatMap(jsonTypesOf))]
  const types = [schema.type ?? 'unknown'].flat()
  return types.length > 1 ? types.filter((type) => type !== 'null') : types
}

export const withoutNull = (branches: JsonSchema[]): JsonSchema[] =>
  branches.length > 1 ? branches.filter((branch) => branch.type !== 'null' && branch.const !== null) : branches

export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Renders a literal for a message. */
export const renderLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${excerpt(value)}'` : (JSON.stringify(value) ?? 'undefined')
