/** Errors of files and folders. */

import { sizeInWords } from '#base/text/size-in-words'
import { ApiError, quoted, requestError } from './api-error'

export const fileNotFound = (id: string) => requestError(404, 'not_found', `File with ID ${quoted(id)} was not found.`)

/** For a folder that a body names. */
export const unknownFolder = (id: string) =>
  requestError(
    400,
    'value_not_found',
    `Cannot find folder with ID ${quoted(id)} on this record. Only a folder without an external provider can be a parent.`,
  )

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
