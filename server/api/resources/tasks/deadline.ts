/** Parses deadlines and their bounds. See docs/reference/tasks.md (Members, Lists of tasks). */

import { parseInstant } from '#engine/attribute-types/formats/instants'
import { InvalidValue } from '#base/errors/api-error'
import { invalidBody, invalidQuery } from '#base/errors/http'
import type { Task } from './task'

/** Throws 400 for a text that is no date or timestamp. */
export function parseDeadline(text: string | null): Pick<Task, 'deadline_at' | 'deadline_ns'> {
  if (text === null) return { deadline_at: null, deadline_ns: null }
  const { value, value_ns } = parseAt(text, ['data', 'deadline_at'], invalidBody)
  return { deadline_at: value, deadline_ns: value_ns }
}

/** A bound of a list; its nanoseconds below the microsecond do not count. */
export const parseBound = (text: string, parameter: 'deadline_from' | 'deadline_before'): string =>
  parseAt(text, [parameter], invalidQuery).value

function parseAt(text: string, path: string[], refusal: typeof invalidBody) {
  try {
    return parseInstant(text, path)
  } catch (error) {
    if (error instanceof InvalidValue) throw refusal(error.issues)
    throw error
  }
}
