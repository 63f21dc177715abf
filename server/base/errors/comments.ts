/** Errors of threads, comments and notifications. */

import { ApiError, quoted, requestError } from './api-error'

export const commentNotFound = (id: string) =>
  requestError(404, 'not_found', `Comment with ID ${quoted(id)} was not found.`)

export const threadNotFound = (id: string) =>
  requestError(404, 'not_found', `Thread with ID ${quoted(id)} was not found.`)

/** For a thread that a body names. */
export const unknownThread = (id: string) =>
  requestError(400, 'value_not_found', `Thread with ID ${quoted(id)} not found.`)

export const threadIsFull = (comments: number, bytes: number) =>
  requestError(
    400,
    'validation_type',
    `A thread has at most ${comments} comments, with ${bytes} bytes of content together. Start another thread.`,
  )

/** For an entry that a body names. */
export const unknownEntry = (id: string) =>
  requestError(400, 'value_not_found', `Entry with ID ${quoted(id)} not found.`)

/** For a list that a body names. */
export const unknownList = (slugOrId: string) =>
  requestError(400, 'value_not_found', `List with slug/ID ${quoted(slugOrId)} not found.`)

export const authorIsOtherMember = () =>
  new ApiError(403, 'auth_error', 'unauthorized', 'A member comments in their own name only.')

export const notificationNotFound = (id: string) =>
  requestError(404, 'not_found', `Notification with ID ${quoted(id)} was not found.`)
