/** Errors of saved SQL queries. */

import { ApiError, quoted, requestError } from './api-error'

export const savedQueryNotFound = (id: string) =>
  requestError(404, 'not_found', `Saved query with ID ${quoted(id)} was not found.`)

export const savedQueryNameTaken = (name: string) =>
  requestError(409, 'slug_conflict', `There is already another saved query with the name ${quoted(name)}.`)

export const savedQueryOfOther = () =>
  new ApiError(403, 'auth_error', 'unauthorized', 'Only the author of a saved query and administrators may change it.')

export const savedQueryChanged = () =>
  requestError(412, 'version_conflict', 'The saved query has changed since it was opened. Open it again.')

export const tooManySavedQueries = (limit: number) =>
  requestError(400, 'quota_exceeded', `A workspace has at most ${limit} saved queries. Delete one first.`)
