/** The variables in the texts of templates, such as `{{first_name}}` and `{{first_name | there}}`. See docs/reference/sending-email.md (Templates). */

import type { ValidationIssue } from '#base/errors/api-error'
import { findClosest } from '#base/text/find-closest'

/** The address at which the recipient unsubscribes. It is replaced when the email is sent. */
export const UNSUBSCRIBE_URL = 'unsubscribe_url'

const VARIABLE = /\{\{([^{}]{0,500})\}\}/g

interface Variable {
  readonly name: string
  /** The text where the record has no value; undefined without one. */
  readonly fallback: string | undefined
}

function parseVariable(inside: string): Variable {
  const bar = inside.indexOf('|')
  if (bar === -1) return { name: inside.trim(), fallback: undefined }
  return { name: inside.slice(0, bar).trim(), fallback: inside.slice(bar + 1).trim() }
}

/** The issues of variables that do not exist, with the nearest name. */
export function unknownVariables(
  text: string,
  names: ReadonlySet<string>,
  path: readonly (string | number)[],
): ValidationIssue[] {
  const found = [...text.matchAll(VARIABLE)].map(([, inside = '']) => parseVariable(inside).name)
  return [...new Set(found)]
    .filter((name) => !names.has(name))
    .map((name) => {
      const closest = findClosest(name, names)
      const message = `Unknown variable "${name}"${closest === undefined ? '' : `; did you mean "${closest}"?`}`
      return { code: 'invalid', path: [...path], message, ...(closest === undefined ? {} : { did_you_mean: closest }) }
    })
}

export interface FilledText {
  readonly text: string
  /** The variables that have neither a value nor a fallback. */
  readonly missing: readonly string[]
}

/** Replaces the variables by the texts of a record. The one of the link stays. */
export function fillVariables(text: string, texts: ReadonlyMap<string, string>): FilledText {
  const missing = new Set<string>()
  const filled = text.replaceAll(VARIABLE, (whole, inside: string) => {
    const { name, fallback } = parseVariable(inside)
    if (name === UNSUBSCRIBE_URL) return whole
    const value = texts.get(name) ?? ''
    if (value === '' && fallback === undefined) missing.add(name)
    return value === '' ? (fallback ?? '') : value
  })
  return { text: filled, missing: [...missing] }
}

export const fillUnsubscribeUrl = (text: string, url: string): string =>
  text.replaceAll(VARIABLE, (whole, inside: string) => (parseVariable(inside).name === UNSUBSCRIBE_URL ? url : whole))
