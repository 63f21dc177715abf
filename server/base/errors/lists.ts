/** Errors of lists and entries. */

import { ApiError, quoted, requestError, suggestion } from './api-error'

export const listNotFound = (slugOrId: string, didYouMean?: string) =>
  requestError(404, 'not_found', `List with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

export const entryNotFound = (id: string) => requestError(404, 'not_found', `Entry with ID ${quoted(id)} not found.`)

/** The body of a new entry names a record that does not exist. */
export const unknownParentRecord = (id: string) =>
  requestError(400, 'value_not_found', `Parent record with slug/ID ${quoted(id)} not found.`)

/** The parent object of a list or the parent record of an entry cannot change. */
export const immutableMember = (name: string) =>
  requestError(400, 'immutable_value', `Member ${quoted(name)} cannot be updated once created.`)

/** `needed` is the access that the operation requires. See docs/reference/lists-and-entries.md (Access to lists). */
export const listAccessTooLow = (list: string, has: string, needed: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `Your access to list ${quoted(list)} is ${has}; this operation needs ${needed} access.`,
  )
