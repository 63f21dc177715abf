/** Errors of imports. */

import { sizeInWords } from '#base/text/csv-line'
import { ApiError, quoted, requestError } from './api-error'

/** The file or its mapping cannot be imported. The message is a sentence that says why. */
export const importProblem = (message: string) => requestError(400, 'import_problem', message)

/** `lacking` names the attributes and options that the import would create. */
export const importNeedsAdmin = (lacking: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `This import would add ${lacking}, which only an import by an administrator may do.`,
  )

export const importNotFound = (id: string) =>
  requestError(404, 'not_found', `Import with ID ${quoted(id)} was not found.`)

export const importNotReady = (id: string) =>
  requestError(409, 'import_state', `Import with ID ${quoted(id)} has already been started or deleted.`)

export const importRunning = (id: string) =>
  requestError(409, 'import_state', `Import with ID ${quoted(id)} is running; cancel it first.`)

export const fileImportRunning = () =>
  requestError(409, 'import_state', 'Another file of yours is being imported. Try again when it has ended.')

export const importTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `The file is larger than the ${sizeInWords(limit)} allowed.`)

export const importNotRun = (id: string) =>
  requestError(409, 'import_state', `Import with ID ${quoted(id)} has not run, so there is nothing to undo.`)

export const importUndone = (id: string) =>
  requestError(409, 'import_state', `Import with ID ${quoted(id)} is being undone, or was undone before.`)

export const undoExpired = (days: number) =>
  requestError(409, 'import_undo_expired', `An import can be undone for ${days} days after its end.`)

export const undoNeedsTrash = () =>
  requestError(409, 'import_undo_expired', 'Deleted records are not kept here, so imports cannot be undone.')

/** The code of records that the undo of an import leaves alone. */
export const CHANGED_SINCE_IMPORT = 'changed_since_import'

export const changedSinceImport = (id: string) =>
  requestError(409, CHANGED_SINCE_IMPORT, `Record with ID ${quoted(id)} was changed since then, and stays.`)
