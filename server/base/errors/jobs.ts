/** Errors of jobs. */

import { quoted, requestError } from './api-error'
import { invalidBody } from './http'

export const jobNotFound = (id: string) => requestError(404, 'not_found', `Job with ID ${quoted(id)} was not found.`)

/** A member that the body needs because of another one. */
export const requiredMember = (path: string[]) =>
  invalidBody([{ code: 'invalid_type', path, message: 'Required', expected: 'object', received: 'undefined' }])
