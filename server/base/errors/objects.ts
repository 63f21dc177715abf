/** Errors of objects, and of slugs of the data model. */

import { ApiError, quoted, requestError, suggestion } from './api-error'

export const objectNotFound = (slugOrId: string, didYouMean?: string) =>
  requestError(404, 'not_found', `Object with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

export const unknownObject = (slugOrId: string, didYouMean?: string) =>
  requestError(400, 'value_not_found', `Cannot find object with slug/ID ${quoted(slugOrId)}.`, suggestion(didYouMean))

export const standardObjectDisabled = (objectId: string) =>
  requestError(
    400,
    'standard_object_disabled',
    `Object with ID ${quoted(objectId)} must be enabled by a Workspace admin before it can be used.`,
  )

export const objectQuotaExceeded = (quota: number) =>
  requestError(400, 'quota_exceeded', `This workspace may have at most ${quota} custom objects.`)

/** `of` is what has the slug: `object` or `list`, or `attribute of <entity type>`. */
export const slugConflict = (of: string, slug: string) =>
  requestError(409, 'slug_conflict', `There is already another ${of} with the api_slug ${quoted(slug)}.`)

export const nounConflict = (noun: string) =>
  requestError(409, 'slug_conflict', `There is already another object with the noun ${quoted(noun)}.`)

export const objectNotEmpty = (slug: string) =>
  requestError(409, 'object_not_empty', `Object ${quoted(slug)} still holds records; delete it with ?force=true.`)

export const objectReadOnly = (slug: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `Your access to object ${quoted(slug)} is read-only; this operation needs read-write access.`,
  )
