/**
 * Compiles schemas to fast checks. The issues of a value are collected only when its check fails; then TypeBox schemas are read as
 * JSON Schema. The issues of a union are those of its nearest branch.
 */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check, Errors } from 'typebox/value'
import { MAX_ISSUES, quoted, suggestion, type ValidationIssue } from '#base/errors/api-error'
import { excerpt } from '#base/text/csv-line'
import { findClosest } from '#base/text/find-closest'

/**
 * Returns a function that returns the issues of a value, none when it is valid.
 * See docs/reference/errors-and-limits.md (Validation errors).
 */
export function compileCheck<T extends TSchema>(schema: T): (value: unknown) => ValidationIssue[] {
  let check: ((value: unknown) => boolean) | undefined
  return (value) => {
    // Compiled at the first value, because compiling the schemas of all routes would slow the start.
    check ??= compile(schema)
    return check(value) ? [] : findIssues(schema, value)
  }
}

function compile(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema)
  return (value) => validator.Check(value)
}

/** The rules of JSON Schema with the messages for values that break them. */
type Description = Omit<ValidationIssue, 'path'> & Pick<ValidationIssue, 'code' | 'message'>

const RULE_MESSAGES: Readonly<Record<string, (limit: unknown) => Description>> = {
  minimum: (limit) => tooSmall('number', limit, true, `Number must be greater than or equal to ${limit}`),
  exclusiveMinimum: (limit) => tooSmall('number', limit, false, `Number must be greater than ${limit}`),
  maximum: (limit) => tooBig('number', limit, true, `Number must be less than or equal to ${limit}`),
  exclusiveMaximum: (limit) => tooBig('number', limit, false, `Number must be less than ${limit}`),
  minLength: (limit) => tooSmall('string', limit, true, `String must contain at least ${limit} character(s)`),
  maxLength: (limit) => tooBig('string', limit, true, `String must contain at most ${limit} character(s)`),
  minItems: (limit) => tooSmall('array', limit, true, `Array must contain at least ${limit} element(s)`),
  maxItems: (limit) => tooBig('array', limit, true, `Array must contain at most ${limit} element(s)`),
  minProperties: (limit) => tooSmall('object', limit, true, `Object must contain at least ${limit} member(s)`),
  maxProperties: (limit) => tooBig('object', limit, true, `Object must contain at most ${limit} member(s)`),
  multipleOf: (limit) => ({ code: 'invalid', message: `Number must be a multiple of ${limit}` }),
  uniqueItems: () => ({ code: 'invalid', message: 'Array must not contain the same element twice' }),
  pattern: (pattern) => invalidString('regex', `Invalid: must match the pattern ${pattern}`),
  format: (format) => {
    const name = FORMATS[String(format)] ?? String(format)
    return invalidString(name, `Invalid ${name}`)
  },
}

/** The names of formats in messages, where they differ from those of JSON Schema. */
const FORMATS: Readonly<Record<string, string>> = { uri: 'url', 'date-time': 'datetime' }

const tooSmall = (kind: string, minimum: unknown, inclusive: boolean, message: string): Description => ({
  code: 'too_small',
  message,
  minimum,
  inclusive,
  kind,
})

const tooBig = (kind: string, maximum: unknown, inclusive: boolean, message: string): Description => ({
  code: 'too_big',
  message,
  maximum,
  inclusive,
  kind,
})

const invalidString = (validation: string, message: string): Description => ({
  code: 'invalid_string',
  message,
  string_validation: validation,
})

type Path = ValidationIssue['path']

function findIssues(schema: TSchema, value: unknown): ValidationIssue[] {
  const found: ValidationIssue[] = []
  explainAt(schema as JsonSchema, value, [], found) // a TypeBox schema is a JSON schema
  return found
}

const isFull = (found: readonly ValidationIssue[]): boolean => found.length >= MAX_ISSUES

function explainAt(schema: JsonSchema, value: unknown, path: Path, found: ValidationIssue[]): void {
  if (isFull(found) || fits(schema, value)) return
  const before = found.length
  explainKind(schema, value, path, found)
  if (found.length === before) found.push({ code: 'invalid', path, message: refusal(schema, value) })
}

function explainKind(schema: JsonSchema, value: unknown, path: Path, found: ValidationIssue[]): void {
  const choices = literalsOf(schema)
  if (choices !== undefined) return void found.push(wrongChoice(choices, value, path))
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return explainUnion(withoutNull(branches), value, path, found)
  if (schema.allOf !== undefined) return schema.allOf.forEach((part) => explainAt(part, value, path, found))

  if (value === undefined || !fitsKind(schema, value)) {
    return void found.push(wrongKind(jsonTypesOf(schema), value, path))
  }
  const tooMuch = brokenRules(schema, value, path, BOUNDS)
  if (tooMuch.length > 0) return void found.push(...tooMuch)
  found.push(...brokenRules(schema, value, path, OTHER_RULES))
  if (Array.isArray(value)) explainItems(schema, value, path, found)
  else if (isObject(value)) explainMembers(schema, value, path, found)
}

/** Returns the issues of the nearest branch: one of the same JSON type as the value, with the fewest issues. */
function explainUnion(branches: JsonSchema[], value: unknown, path: Path, found: ValidationIssue[]): void {
  const [only] = branches
  if (only !== undefined && branches.length === 1) return explainAt(only, value, path, found)
  const near = value === undefined ? [] : branches.filter((branch) => fitsKind(branch, value))
  if (near.length === 0) return void found.push(wrongKind([...new Set(branches.flatMap(jsonTypesOf))], value, path))
  const explained = near.map((branch) => {
    const issues: ValidationIssue[] = []
    explainAt(branch, value, path, issues)
    return issues
  })
  const nearest = explained.reduce((best, issues) => (distance(issues) < distance(best) ? issues : best))
  found.push(...nearest.slice(0, MAX_ISSUES - found.length))
}

/** A different literal means that another branch was meant, so it counts more than all other issues. */
const distance = (issues: ValidationIssue[]) =>
  issues.reduce((sum, issue) => sum + (issue.code === 'invalid_option' ? MAX_ISSUES : 1), 0)

function explainItems({ items }: JsonSchema, values: unknown[], path: Path, found: ValidationIssue[]): void {
  if (items === undefined) return
  for (let index = 0; index < values.length && !isFull(found); index++) {
    // A path is made only for a wrong item.
    if (!fits(items, values[index])) explainAt(items, values[index], [...path, index], found)
  }
}

function explainMembers(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: Path,
  found: ValidationIssue[],
): void {
  const { properties = {}, required = [] } = schema
  for (const [name, member] of Object.entries(properties)) {
    const isThere = Object.hasOwn(value, name)
    if (isThere || required.includes(name)) explainAt(member, isThere ? value[name] : undefined, [...path, name], found)
  }
  const explainOther = compileOthers(schema)
  if (explainOther === undefined) return
  for (const name in value) {
    if (isFull(found)) return
    if (!Object.hasOwn(properties, name)) explainOther(name, value[name], path, found)
  }
}

/** The schema of members that are not named; undefined when they are not restricted. */
function compileOthers({ properties = {}, patternProperties = {}, additionalProperties = true }: JsonSchema) {
  const patterns = Object.entries(patternProperties).map(
    // oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the patterns of schemas
    ([pattern, member]) => [new RegExp(pattern, 'u'), member] as const,
  )
  if (patterns.length === 0 && additionalProperties === true) return undefined
  return (name: string, value: unknown, path: Path, found: ValidationIssue[]): void => {
    const matched = patterns.filter(([pattern]) => pattern.test(name)).map(([, member]) => member)
    if (matched.length === 0 && additionalProperties === false) {
      found.push(unrecognized(Object.keys(properties), name, value, path))
      return
    }
    const members = matched.length > 0 || typeof additionalProperties === 'boolean' ? matched : [additionalProperties]
    for (const member of members) if (!fits(member, value)) explainAt(member, value, [...path, name], found)
  }
}

/** Suggests the known name that is closest, or that the unknown member contains: `data` with a `filter` stands for `filter`. */
function unrecognized(names: readonly string[], name: string, value: unknown, path: Path): ValidationIssue {
  const contained = isObject(value) ? names.find((each) => Object.hasOwn(value, each)) : undefined
  const did_you_mean = contained ?? findClosest(name, names)
  const hint =
    contained === undefined
      ? `. Did you mean ${quoted(did_you_mean ?? '')}?`
      : `. Its member ${quoted(contained)} belongs in its place`
  return {
    code: 'invalid',
    path: [...path, name],
    message: `Unrecognized key${did_you_mean === undefined ? '' : hint}`,
    ...suggestion(did_you_mean),
  }
}

const checks = new WeakMap<JsonSchema, (value: unknown) => boolean>()

/** The compiled checks of the parts of schemas, because the parts of a large body are checked often. */
function fits(schema: JsonSchema, value: unknown): boolean {
  let check = checks.get(schema)
  if (check === undefined) {
    const validator = Compile(schema as TSchema) // as above
    check = (each) => validator.Check(each)
    checks.set(schema, check)
  }
  return check(value)
}

/** A value that breaks one of these is not checked further. */
const BOUNDS = ['maxLength', 'maxItems', 'maxProperties']
const OTHER_RULES = Object.keys(RULE_MESSAGES).filter((rule) => !BOUNDS.includes(rule))

/** Checks each rule alone, so that every broken rule is reported. */
const brokenRules = (schema: JsonSchema, value: unknown, path: Path, rules: readonly string[]): ValidationIssue[] =>
  rules.flatMap((rule) => {
    const [limit, describe] = [schema[rule], RULE_MESSAGES[rule]]
    return limit === undefined || describe === undefined || Check({ [rule]: limit }, value)
      ? []
      : [{ path, ...describe(limit) }]
  })

const fitsKind = (schema: JsonSchema, value: unknown): boolean =>
  jsonTypesOf(schema).some(
    (kind) => kind === 'unknown' || kind === jsonTypeOf(value) || (kind === 'integer' && Number.isInteger(value)),
  )

function wrongKind(expected: string[], value: unknown, path: Path): ValidationIssue {
  const received = expected.includes('integer') && typeof value === 'number' ? 'float' : jsonTypeOf(value)
  const message = value === undefined ? 'Required' : `Expected ${expected.join(' | ')}, received ${received}`
  return { code: 'invalid_type', path, message, expected: expected.join(' | '), received }
}

function wrongChoice(options: unknown[], value: unknown, path: Path): ValidationIssue {
  const expected = options.map(renderLiteral).join(' | ')
  if (!options.some((option) => jsonTypeOf(option) === jsonTypeOf(value))) {
    return wrongKind([expected], value, path)
  }
  const message = `Invalid enum value. Expected ${expected}, received ${renderLiteral(value)}`
  return { code: 'invalid_option', path, message, options }
}

/** Returns the message of a schema's own rule if that rule is broken. */
function refusal(schema: JsonSchema, value: unknown): string {
  const own = Errors(schema, value).find((error) => (error.keyword as string) === '~refine')
  return own?.message ?? 'Invalid input'
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

// The JSON types of schemas and of values.

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
function literalsOf(schema: JsonSchema): unknown[] | undefined {
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

const withoutNull = (branches: JsonSchema[]): JsonSchema[] =>
  branches.length > 1 ? branches.filter((branch) => branch.type !== 'null' && branch.const !== null) : branches

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Renders a literal for a message. */
const renderLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${excerpt(value)}'` : (JSON.stringify(value) ?? 'undefined')
