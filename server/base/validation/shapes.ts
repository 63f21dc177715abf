/** Shapes that many parts of the service check or answer. */

import { Type } from 'typebox'

/** The body of an answer that says nothing but that the operation is done. */
export const EmptyAnswer = Type.Object({})

/** Whether a value is an object of JSON, and neither null nor an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
