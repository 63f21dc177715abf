/** Errors of exports and erasures of people. */

import { quoted, requestError } from './api-error'

export const invalidPersonAddress = (text: string) =>
  requestError(400, 'validation_type', `${quoted(text)} is not an email address.`)

export const personIsMember = () =>
  requestError(
    409,
    'person_is_member',
    'This person is a member of the workspace. Suspend the member first; then the person can be erased.',
  )

export const wrongConfirmation = () =>
  requestError(400, 'validation_type', 'The confirmation is not the email address of the person.')
