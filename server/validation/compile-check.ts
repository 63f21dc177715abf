/** Schemas as fast yes-or-no checks; what is wrong is only worked out when something is. */

import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ValidationIssue } from '../errors/api-error'
import { findIssues } from './find-issues'

/**
 * A check made once and used often: gives every problem of a value, none when it is valid.
 * See docs/reference/errors-and-limits.md (Validation errors).
 */
export function compileCheck<T extends TSchema>(schema: T): (value: unknown) => ValidationIssue[] {
  let check: ((value: unknown) => boolean) | undefined
  return (value) => {
    // Compiling hundreds of routes costs more than starting should, so it waits for the first value.
    check ??= compile(schema)
    return check(value) ? [] : findIssues(schema, value)
  }
}

function compile(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema)
  return (value) => validator.Check(value)
}
