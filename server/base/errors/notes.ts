/** Errors of notes. */

import { sizeInWords } from '#base/text/size-in-words'
import { quoted, requestError } from './api-error'

export const noteNotFound = (id: string) => requestError(404, 'not_found', `Note with ID ${quoted(id)} was not found.`)

export const unknownMeeting = (id: string) =>
  requestError(400, 'value_not_found', `Meeting with ID ${quoted(id)} was not found; it must exist.`)

export const contentTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `The content is larger than the ${sizeInWords(limit)} allowed.`)
