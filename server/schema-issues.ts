/**
 * Why a value does not fit its schema, in the words clients know. Reads TypeBox schemas as the JSON schemas they are.
 * A union that fits nowhere is explained by its nearest branch alone. Spec: errors-and-limits 1.1.
 */

import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import type { ValidationIssue } from './errors'
import { choicesOf, kindsOf, receivedKind, show, withoutNull, type JsonSchema } from './schema-kinds'
import { RULES } from './schema-rules'

type Path = ValidationIssue['path']

export function explain(schema: TSchema, value: unknown): ValidationIssue[] {
  return explainAt(schema as JsonSchema, value, []) // a TypeBox schema is a JSON schema
}

function explainAt(schema: JsonSchema, value: unknown, path: Path): ValidationIssue[] {
  if (Check(schema, value)) return []
  const issues = explainKind(schema, value, path)
  return issues.length > 0 ? issues : [{ code: 'invalid', path, message: refusal(schema, value) }]
}

function explainKind(schema: JsonSchema, value: unknown, path: Path): ValidationIssue[] {
  const choices = choicesOf(schema)
  if (choices !== undefined) return [wrongChoice(choices, value, path)]
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return explainUnion(withoutNull(branches), value, path)
  if (schema.allOf !== undefined) return schema.allOf.flatMap((part) => explainAt(part, value, path))

  const expected = kindsOf(schema)
  if (value === undefined || !fitsKind(schema, value)) return [wrongKind(expected, value, path)]
  const issues = brokenRules(schema, value, path)
  if (Array.isArray(value)) return [...issues, ...explainItems(schema, value, path)]
  if (isObject(value)) return [...issues, ...explainMembers(schema, value, path)]
  return issues
}

/** The issues of the branch that comes nearest: one of the value's own kind, with the fewest problems. */
function explainUnion(branches: JsonSchema[], value: unknown, path: Path): ValidationIssue[] {
  const [only] = branches
  if (only !== undefined && branches.length === 1) return explainAt(only, value, path)
  const near = value === undefined ? [] : branches.filter((branch) => fitsKind(branch, value))
  if (near.length === 0) return [wrongKind([...new Set(branches.flatMap(kindsOf))], value, path)]
  const explained = near.map((branch) => explainAt(branch, value, path))
  return explained.reduce((best, issues) => (distance(issues) < distance(best) ? issues : best))
}

/** A literal member that differs says "another branch was meant" more loudly than any number of other problems. */
const distance = (issues: ValidationIssue[]) =>
  issues.reduce((sum, issue) => sum + (issue.code === 'invalid_option' ? 100 : 1), 0)

function explainItems(schema: JsonSchema, values: unknown[], path: Path): ValidationIssue[] {
  const { items } = schema
  return items === undefined ? [] : values.flatMap((value, index) => explainAt(items, value, [...path, index]))
}

function explainMembers(schema: JsonSchema, value: Record<string, unknown>, path: Path): ValidationIssue[] {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema
  const declared = Object.entries(properties).flatMap(([name, member]) =>
    Object.hasOwn(value, name) || required.includes(name) ? explainAt(member, value[name], [...path, name]) : [],
  )
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  const matched = others.flatMap((name) => {
    const patterns = Object.entries(patternProperties).filter(([pattern]) => new RegExp(pattern, 'u').test(name))
    if (patterns.length > 0) return patterns.flatMap(([, member]) => explainAt(member, value[name], [...path, name]))
    if (additionalProperties === undefined || additionalProperties === true) return []
    if (additionalProperties === false) {
      return [{ code: 'invalid' as const, path: [...path, name], message: 'Unrecognized key' }]
    }
    return explainAt(additionalProperties, value[name], [...path, name])
  })
  return [...declared, ...matched]
}

/** Each rule is tried alone, so that all that are broken are told. */
function brokenRules(schema: JsonSchema, value: unknown, path: Path): ValidationIssue[] {
  return Object.entries(RULES).flatMap(([rule, describe]) => {
    const limit = schema[rule]
    return limit === undefined || Check({ [rule]: limit }, value) ? [] : [{ path, ...describe(limit) }]
  })
}

const fitsKind = (schema: JsonSchema, value: unknown): boolean =>
  kindsOf(schema).some(
    (kind) => kind === 'unknown' || kind === receivedKind(value) || (kind === 'integer' && Number.isInteger(value)),
  )

function wrongKind(expected: string[], value: unknown, path: Path): ValidationIssue {
  const received = expected.includes('integer') && typeof value === 'number' ? 'float' : receivedKind(value)
  const message = value === undefined ? 'Required' : `Expected ${expected.join(' | ')}, received ${received}`
  return { code: 'invalid_type', path, message, expected: expected.join(' | '), received }
}

function wrongChoice(options: unknown[], value: unknown, path: Path): ValidationIssue {
  const expected = options.map(show).join(' | ')
  if (!options.some((option) => receivedKind(option) === receivedKind(value))) {
    return wrongKind([expected], value, path)
  }
  const message = `Invalid enum value. Expected ${expected}, received ${show(value)}`
  return { code: 'invalid_option', path, message, options }
}

/** What a schema's own rule says, when that is what refused. */
function refusal(schema: JsonSchema, value: unknown): string {
  const own = Errors(schema, value).find((error) => (error.keyword as string) === '~refine')
  return own?.message ?? 'Invalid input'
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
