/** What kinds of JSON a schema speaks of, and what kind a value is. */

import { excerpt } from '../text/excerpt'

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

/** The literals a schema allows when it allows nothing else but null. */
export function literalsOf(schema: JsonSchema): unknown[] | undefined {
  if ('const' in schema) return [schema.const]
  if (schema.enum !== undefined) return schema.enum.filter((choice) => choice !== null)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches === undefined) return undefined
  const choices = withoutNull(branches).map(literalsOf)
  return choices.length > 0 && choices.every((list) => list !== undefined) ? choices.flat() : undefined
}

/** The kinds of value a schema takes, without null when it takes anything else. */
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

/** A literal as it stands in messages. */
export const renderLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${excerpt(value)}'` : (JSON.stringify(value) ?? 'undefined')
