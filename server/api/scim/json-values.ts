/** Reads JSON values of identity providers, which vary the case of names. */

import { isObject } from '#base/validation/shapes'
import { invalidScimValue } from '#base/errors/protocols'

/** Returns the property with this name in any case; `name` is in lower case. Undefined for a value that is no object. */
export function findProperty(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, name)) return value[name]
  const key = Object.keys(value).find((each) => each.toLowerCase() === name)
  return key === undefined ? undefined : value[key]
}

/** Returns the value of an operation without a path. Throws 400 for one that is no object. */
export function requireObject(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalidScimValue('An operation without a path needs an object as its value.')
  return value
}

/** Returns a boolean, also of the texts `true` and `false` in any case. Throws 400 for other values. */
export function readBoolean(name: string, value: unknown): boolean {
  const text = typeof value === 'string' && value.length <= 5 ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw invalidScimValue(`"${name}" must be true or false.`)
}

const CONTROL_CHARACTERS = /\p{Cc}/u

/** Returns one line of text. Throws 400 for other values and for a longer text. */
export function readLine(name: string, value: unknown, maxLength: number): string {
  if (typeof value !== 'string' || value.length > maxLength || CONTROL_CHARACTERS.test(value))
    throw invalidScimValue(`"${name}" must be one line of text with at most ${maxLength} characters.`)
  return value
}
