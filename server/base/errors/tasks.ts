/** Errors of tasks. */

import { quoted, requestError } from './api-error'

export const taskNotFound = (id: string) => requestError(404, 'not_found', `Could not find Task with ID ${quoted(id)}.`)
