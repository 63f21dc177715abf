/** Errors of emails. */

import { quoted, requestError } from './api-error'

export const emailNotFound = (id: string) =>
  requestError(404, 'not_found', `Email with ID ${quoted(id)} was not found.`)
