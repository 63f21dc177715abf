/** Compiles schemas to fast checks. The issues of a value are collected only when its check fails. */

import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ValidationIssue } from '#base/errors/api-error'
import { findIssues } from './find-issues'

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
