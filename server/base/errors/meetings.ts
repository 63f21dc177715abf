/** Errors of meetings and call recordings. */

import { quoted, requestError } from './api-error'
import { invalidBody } from './http'

export const meetingNotFound = (id: string) =>
  requestError(404, 'not_found', `Meeting with ID ${quoted(id)} was not found.`)

export const callRecordingNotFound = (id: string) =>
  requestError(404, 'not_found', `Call recording with ID ${quoted(id)} was not found.`)

export const nothingRecorded = () =>
  invalidBody([{ code: 'invalid', path: ['data'], message: 'video_url or transcript is required' }])

/** `reason` is a sentence. */
export const unusableVideo = (reason: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'video_url'], message: `This video cannot be used. ${reason}` }])
