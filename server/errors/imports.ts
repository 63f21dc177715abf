/** Errors of imports. */

import { sizeInWords } from '../text/size-in-words'
import { quoted, requestError } from './api-error'

/** A file, or a plan for it, that cannot be imported; the sentence says why. */
export const importProblem = (message: string) => requestError(400, 'import_problem', message)

/** `lacking` names the attributes and options that would be made. */
export const importNeedsAdmin = (lacking: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `This import would add ${lacking}, which only an import of an administrator may.`,
  )

export const importNotFound = (id: string) =>
  requestError(404, 'not_found', `Import with ID ${quoted(id)} was not found.`)

export const importNotReady = (id: string) =>
  requestError(409, 'import_state', `Import with ID ${quoted(id)} was begun or thrown away already.`)

export const importRunning = (id: string) =>
  requestError(409, 'import_state', `Import with ID ${quoted(id)} is running; cancel it first.`)

export const importTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `The file is larger than the ${sizeInWords(limit)} allowed.`)
