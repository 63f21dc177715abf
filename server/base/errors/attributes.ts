/** Errors of attributes and their options. */

import { quoted, requestError, suggestion } from './api-error'

export const attributeNotFound = (slugOrId: string, didYouMean?: string) =>
  requestError(404, 'not_found', `Attribute with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

/** In a value or in a path; 400 in both by contract. */
export const unknownOption = (slug: string, title: string, validOptions: string[]) =>
  requestError(
    400,
    'value_not_found',
    `Cannot find select attribute with select option title ${quoted(title)} for attribute with slug ${quoted(slug)}.`,
    { valid_options: validOptions.slice(0, 50) },
  )

export const unknownStatus = (slug: string, title: string, validOptions: string[]) =>
  requestError(
    400,
    'value_not_found',
    `Cannot find Status with status option title ${quoted(title)} for attribute with slug ${quoted(slug)}.`,
    { valid_options: validOptions.slice(0, 50) },
  )

export const notAnOptionAttribute = (kind: 'select' | 'status', slug: string) =>
  requestError(400, 'validation_type', `Attribute with slug ${quoted(slug)} is not a ${kind} attribute.`)

export const optionConflict = (kind: 'select option' | 'status', title: string) =>
  requestError(409, 'slug_conflict', `There is already another ${kind} with the title ${quoted(title)}.`)

export const systemAttributeNotEditable = (message = 'Cannot update a System attribute.') =>
  requestError(400, 'system_edit_unauthorized', message)
