/** The rules of JSON Schema with the messages for values that break them. */

import type { ValidationIssue } from '#base/errors/api-error'

type Description = Omit<ValidationIssue, 'path'> & Pick<ValidationIssue, 'code' | 'message'>

export const RULE_MESSAGES: Readonly<Record<string, (limit: unknown) => Description>> = {
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
