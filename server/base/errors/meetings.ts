/** Errors of what is attached to records: meetings, emails, notes, tasks, comments and files. */

import { ApiError, quoted, requestError } from './api-error'
import { invalidBody } from './http'
import { sizeInWords } from '#base/text/csv-line'

export const meetingNotFound = (id: string) =>
  requestError(404, 'not_found', `Meeting with ID ${quoted(id)} was not found.`)

export const meetingIsImported = () =>
  requestError(
    400,
    'system_edit_unauthorized',
    'This meeting comes from a calendar. Cancel it in the calendar, or delete it with force=true.',
  )

export const tooManyLinks = (limit: number) =>
  invalidBody([
    { code: 'too_big', path: ['data', 'linked_records'], message: `A meeting has at most ${limit} linked records` },
  ])

export const callRecordingNotFound = (id: string) =>
  requestError(404, 'not_found', `Call recording with ID ${quoted(id)} was not found.`)

export const nothingRecorded = () =>
  invalidBody([{ code: 'invalid', path: ['data'], message: 'video_url or transcript is required' }])

/** `reason` is a sentence. */
export const unusableVideo = (reason: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'video_url'], message: `This video cannot be used. ${reason}` }])

/** Errors of notes. */
export const noteNotFound = (id: string) => requestError(404, 'not_found', `Note with ID ${quoted(id)} was not found.`)

export const unknownMeeting = (id: string) =>
  requestError(400, 'value_not_found', `Meeting with ID ${quoted(id)} was not found; it must exist.`)

export const contentTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `The content is larger than the ${sizeInWords(limit)} allowed.`)

/** Errors of tasks. */
export const taskNotFound = (id: string) => requestError(404, 'not_found', `Could not find Task with ID ${quoted(id)}.`)

/** Errors of threads, comments and notifications. */
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

export const commentOfOtherMember = () =>
  new ApiError(403, 'auth_error', 'unauthorized', 'Members edit and delete only comments that they wrote.')

export const notificationNotFound = (id: string) =>
  requestError(404, 'not_found', `Notification with ID ${quoted(id)} was not found.`)

/** Errors of files and folders. */
export const fileNotFound = (id: string) => requestError(404, 'not_found', `File with ID ${quoted(id)} was not found.`)

/** For a folder that a body names. */
export const unknownNote = (id: string) =>
  requestError(400, 'value_not_found', `Cannot find note with ID ${quoted(id)} on this record.`)

export const noImage = () =>
  requestError(400, 'validation_type', 'The image of a note is a PNG, JPEG, GIF, WebP or AVIF file.')

export const unknownFolder = (id: string) =>
  requestError(
    400,
    'value_not_found',
    `Cannot find folder with ID ${quoted(id)} on this record. Only a folder without an external provider can be a parent.`,
  )

/** For a file that a body names. */
export const unknownFile = (id: string) =>
  requestError(400, 'value_not_found', `File with ID ${quoted(id)} was not found.`)

export const notDownloadable = (type: string) =>
  requestError(400, 'validation_type', `An entry of type ${quoted(type)} has no content to download.`)

export const fileTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `The file is larger than the ${sizeInWords(limit)} allowed.`)

export const uploadTimedOut = () =>
  requestError(408, 'request_timed_out', 'The body did not arrive in time. Send it again over a faster connection.')

export const multipartRequired = (type: string) =>
  requestError(415, 'validation_type', `Content type ${quoted(type)} is not supported; send multipart/form-data.`)

/** For a signed URL that is not valid or has expired. */
export const downloadNotFound = () =>
  requestError(404, 'not_found', 'This download link is not valid or has expired. Request a new one.')

export const rangeNotSatisfiable = (size: number) =>
  new ApiError(
    416,
    'invalid_request_error',
    'validation_type',
    `The requested range is outside of the ${size} bytes of the file.`,
    {},
    { 'Content-Range': `bytes */${size}` },
  )

/** Errors of emails. */
export const emailNotFound = (id: string) =>
  requestError(404, 'not_found', `Email with ID ${quoted(id)} was not found.`)

/** For an email that a body names. */
export const unknownEmail = (id: string) =>
  requestError(
    400,
    'value_not_found',
    `Email with ID ${quoted(id)} was not found in the mailbox of an account that you send from.`,
  )
