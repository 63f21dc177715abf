/** Errors of attributes and their options. */

import { ApiError, quoted, requestError, suggestion } from './api-error'

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

/** An attribute cannot be archived or deleted while computed attributes name it. The caller may know none of these. */
export const attributeNamedByComputed = (slug: string, names: readonly string[]) =>
  requestError(
    409,
    'attribute_in_use',
    `Computed attributes name the attribute ${quoted(slug)}${names.length === 0 ? '' : `: ${names.map(quoted).join(', ')}`}. Change or delete them first.`,
    { computed_attributes: names },
  )

/** The same for an object, an activity or a list, of which other ones have look-ups and rollups. */
export const entityTypeNamedByComputed = (slug: string, names: readonly string[]) =>
  requestError(
    409,
    'attribute_in_use',
    `Look-ups and rollups read ${quoted(slug)}${names.length === 0 ? '' : `: ${names.map(quoted).join(', ')}`}. Delete them first.`,
    { computed_attributes: names },
  )

/** Errors of lists and entries. */
export const listNotFound = (slugOrId: string, didYouMean?: string) =>
  requestError(404, 'not_found', `List with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

export const entryNotFound = (id: string) => requestError(404, 'not_found', `Entry with ID ${quoted(id)} not found.`)

/** The body of a new entry names a record that does not exist. */
export const unknownParentRecord = (id: string) =>
  requestError(400, 'value_not_found', `Parent record with slug/ID ${quoted(id)} not found.`)

/** The parent object of a list or the parent record of an entry cannot change. */
export const immutableMember = (name: string) =>
  requestError(400, 'immutable_value', `Member ${quoted(name)} cannot be updated once created.`)

/** `needed` is the access that the operation requires. See docs/reference/lists-and-entries.md (Access to lists). */
export const listAccessTooLow = (list: string, has: string, needed: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `Your access to list ${quoted(list)} is ${has}; this operation needs ${needed} access.`,
  )

/** Errors of activities. */
export const activityNotFound = (slugOrId: string, didYouMean?: string) =>
  requestError(404, 'not_found', `Activity with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

export const activityNotImported = (slug: string) =>
  requestError(
    400,
    'value_not_found',
    `${quoted(slug)} is an activity, whose records are not imported from CSV files; create them in batches.`,
  )

export const activityWithoutRetention = (slug: string) =>
  requestError(
    400,
    'value_not_found',
    `${quoted(slug)} is an activity, which has no retention rule; delete its records by a filter.`,
  )

/** Errors of objects, and of slugs of the data model. */
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

export const activityQuotaExceeded = (quota: number) =>
  requestError(400, 'quota_exceeded', `This workspace may have at most ${quota} custom activities.`)

/** `of` is what has the slug: `object`, `activity` or `list`, or `attribute of <entity type>`. */
export const slugConflict = (of: string, slug: string) =>
  requestError(409, 'slug_conflict', `There is already another ${of} with the api_slug ${quoted(slug)}.`)

export const nounConflict = (noun: string) =>
  requestError(409, 'slug_conflict', `There is already another object with the noun ${quoted(noun)}.`)

type RecordTypeKind = 'object' | 'activity'

const titleOf = (kind: RecordTypeKind): string => (kind === 'object' ? 'Object' : 'Activity')

/** Only a deleted object or activity is deleted for good. */
export const notDeleted = (kind: RecordTypeKind, slug: string) =>
  requestError(
    409,
    `${kind}_not_deleted`,
    `${titleOf(kind)} ${quoted(slug)} is not deleted. Delete it without permanent=true first; then it can be deleted for good by its id.`,
  )

export const notInTrash = (kind: RecordTypeKind, id: string) =>
  requestError(404, 'not_found', `${titleOf(kind)} with ID ${quoted(id)} is not in the trash.`)

/** Another object or activity got a name of a deleted one. `member` is the member of the body that gives another name. */
export const restoredNameConflict = (kind: RecordTypeKind, { message }: ApiError, member: string) =>
  requestError(409, 'slug_conflict', `${message} Give the restored ${kind} another ${member} in the body.`)

export const objectReadOnly = (slug: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `Your access to object ${quoted(slug)} is read-only; this operation needs read-write access.`,
  )
