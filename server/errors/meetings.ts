/** Errors of meetings. */

import { quoted, requestError } from './api-error'

export const meetingNotFound = (id: string) =>
  requestError(404, 'not_found', `Could not find Meeting with ID ${quoted(id)}.`)
