/** Errors of webhooks, deliveries and events. */

import { ApiError, quoted, requestError } from './api-error'

export const webhookOfOtherOwner = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'Only the owner of this webhook may do this: the app or API key that created it, or the workspace, whose members use the console.',
  )

export const deliveryWithheld = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'The app or API key that this webhook belongs to can no longer see this event, so it is not sent again.',
  )

export const webhookNotFound = (id: string) =>
  requestError(404, 'not_found', `Webhook with ID ${quoted(id)} was not found.`)

export const webhookConflict = (eventType: string) =>
  requestError(
    409,
    'uniqueness_conflict',
    `There is already a subscription to ${eventType} with the same target_url and filter.`,
  )

export const deliveryNotFound = (id: string) =>
  requestError(404, 'not_found', `Delivery with ID ${quoted(id)} was not found.`)

export const testEndpointNotFound = (id: string) =>
  requestError(404, 'not_found', `Test endpoint with ID ${quoted(id)} was not found.`)

export const expiredCursor = () =>
  requestError(
    410,
    'cursor_expired',
    'Events after this cursor have expired. Read from the beginning of what is kept, without a cursor, or from `now`.',
  )
