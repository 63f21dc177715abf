/** Explains in one sentence why a value was not saved. */

import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import { ApiError } from '../api/errors'
import { ValueConflict } from '../api/records/write-values'
import { textOfValues, valueTypeOf } from './registry'

/** Input that was not saved, and why. The editor shows both. */
export interface RefusedInput {
  readonly input: readonly unknown[]
  readonly problem: string
}

export const VALUE_REQUIRED = 'A value is required.'
const NO_PERMISSION = "You don't have permission to change this value."
const TRY_AGAIN = "The value couldn't be saved. Try again in a moment."

/** By error code of the API. Other codes get the sentence of their status. */
const BY_CODE: Readonly<Record<string, (attribute: Attribute, entityType: EntityTypePath) => string>> = {
  validation_type: (attribute) => valueTypeOf(attribute).refusal,
  value_not_found: (attribute) => valueTypeOf(attribute).refusal,
  missing_value: () => VALUE_REQUIRED,
  immutable_value: () => "This value can't be changed.",
  uniqueness_conflict: (_, { kind }) =>
    `This value is already used by another ${kind === 'lists' ? 'entry' : 'record'}.`,
  unreachable: () => "Can't reach the server. Check your connection and try again.",
}

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'You are signed out. Sign in and try again.',
  403: NO_PERMISSION,
  404: 'This record was deleted.',
  429: 'Too many changes at once. Try again in a moment.',
}

export function refusalOf(error: unknown, attribute: Attribute, entityType: EntityTypePath): string {
  if (error instanceof ValueConflict) return conflictWith(error, attribute)
  if (!(error instanceof ApiError)) return TRY_AGAIN
  return BY_CODE[error.code]?.(attribute, entityType) ?? BY_STATUS[error.status] ?? TRY_AGAIN
}

function conflictWith({ entity }: ValueConflict, attribute: Attribute): string {
  const text = textOfValues(attribute, entity.values[attribute.api_slug] ?? [])
  if (text === '') return 'Someone else cleared this value. Save again to replace it.'
  return `Someone else changed this to “${shortened(text)}”. Save again to replace it.`
}

const MAX_SHOWN = 80

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** The attribute that an error is about. The API names it in double quotes, by its slug or id. */
export function refusedAttribute(error: unknown, attributes: readonly Attribute[]): Attribute | undefined {
  if (!(error instanceof ApiError)) return undefined
  const inIssue = attributes.find(({ api_slug }) => error.issueOf(api_slug) !== undefined)
  const [, name] = /attribute with (?:slug|ID) "([^"]{1,255})"/.exec(error.message) ?? []
  return attributes.find(({ api_slug, id }) => api_slug === name || id.attribute_id === name) ?? inIssue
}
