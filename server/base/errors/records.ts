/** Errors of records, of the values in a body, of jobs, and of exports and erasures of people. */
import { ApiError, firstOf, quoted, requestError, suggestion, type ValidationIssue, withFirstIssue } from './api-error'
import { invalidBody } from './http'

export const invalidAttributeValue = (slug: string, issues: ValidationIssue[]) =>
  requestError(
    400,
    'validation_type',
    withFirstIssue(`An invalid value was passed to attribute with slug ${quoted(slug)}.`, issues),
    firstOf(issues),
  )

export const unknownAttributeKey = (key: string, didYouMean?: string) =>
  requestError(400, 'value_not_found', `Cannot find attribute with slug/ID ${quoted(key)}.`, suggestion(didYouMean))

export const unknownMatchingAttribute = (key: string, didYouMean?: string) =>
  requestError(
    400,
    'value_not_found',
    `No attribute was found for matching_attribute slug/ID ${quoted(key)}.`,
    suggestion(didYouMean),
  )

/** `uniqueSlugs` are those that the caller could name instead. */
export const matchingAttributeNotUnique = (slug: string, uniqueSlugs: string[] = []) =>
  requestError(400, 'matching_attribute_definition_not_unique', `Attribute with slug ${quoted(slug)} is not unique.`, {
    ...(uniqueSlugs.length > 0 && { valid_options: uniqueSlugs }),
  })

export const missingValue = (attributeId: string) =>
  requestError(400, 'missing_value', `Required value for attribute with ID ${quoted(attributeId)} was not provided.`)

export const immutableValue = (slug: string) =>
  requestError(
    400,
    'immutable_value',
    `Attribute with slug ${quoted(slug)} is read-only: its values cannot be updated once created.`,
  )

export const uniquenessConflict = (slug: string, recordIds: string[]) =>
  requestError(
    400,
    'uniqueness_conflict',
    `A value provided for attribute with slug ${quoted(slug)} conflicts with one already in the system. ` +
      `This attribute has a uniqueness constraint. Conflicting record IDs: ${recordIds.join(', ')}`,
    { conflicting_record_ids: recordIds },
  )

/** A restored record or entry has a value that another one got meanwhile. `slug` is undefined for an entry that the caller may not see. */
export const restoreConflict = (slug: string | undefined, recordIds: readonly string[]) =>
  requestError(
    409,
    'uniqueness_conflict',
    slug === undefined
      ? 'A value of an entry of this record conflicts with one already in the system.'
      : `A value of attribute with slug ${quoted(slug)} conflicts with one already in the system. ` +
          `This attribute has a uniqueness constraint. Conflicting record IDs: ${recordIds.join(', ')}`,
    slug === undefined ? {} : { conflicting_record_ids: recordIds },
  )

export const recordNotInTrash = (id: string) =>
  requestError(404, 'not_found', `Record with ID ${quoted(id)} is not in the trash.`)

/** A record named in a body, by id or by a matching value. For a record named in a path, see `recordNotFound`. */
export const unknownRecord = (object: string, idOrKey: string) =>
  requestError(
    400,
    'value_not_found',
    `Cannot find record with ID or value ${quoted(idOrKey)} of object ${quoted(object)}.`,
  )

/** A record that a body names by its id alone. */
export const unknownRecordOfAnyObject = (id: string) =>
  requestError(400, 'value_not_found', `Cannot find record with ID ${quoted(id)}.`)

export const unknownMember = (idOrEmail: string) =>
  requestError(400, 'value_not_found', `Workspace member with ID ${quoted(idOrEmail)} not found.`)

export const multipleMatches = (message: string) => requestError(400, 'multiple_match_results', message)

/** `mergedInto` is the id of the record that a merge made of this one. */
export const recordNotFound = (id: string, mergedInto?: string) =>
  requestError(
    404,
    'not_found',
    `Record with ID ${quoted(id)} not found.`,
    mergedInto === undefined ? {} : { merged_into: mergedInto },
  )

/** For a record that the body of a merge names. */
export const mergeRecordNotFound = (id: string) =>
  requestError(404, 'value_not_found', `Record with ID ${quoted(id)} not found.`)

export const selfMerge = () => requestError(400, 'self_merge', 'A record cannot be merged with itself.')

export const versionConflict = () =>
  requestError(
    412,
    'version_conflict',
    'The record, entry, note or task has changed since the version given in If-Match.',
  )

/** The operation at this position undid a whole batch. A failure of the service keeps its status, because a retry may succeed. */
export const batchFailure = ({ status, type, code, message, extra, headers }: ApiError, operation: number) =>
  new ApiError(status < 500 ? 400 : status, type, code, message, { ...extra, operation }, headers)

/** Errors of jobs. */
export const jobNotFound = (id: string) => requestError(404, 'not_found', `Job with ID ${quoted(id)} was not found.`)

export const jobRunning = (id: string) =>
  requestError(409, 'job_running', `Job with ID ${quoted(id)} is running. Cancel it, or wait for its end.`)

export const jobNotUndoable = (id: string) =>
  requestError(409, 'job_not_undoable', `Job with ID ${quoted(id)} cannot be undone: only updates can.`)

/** A member that the body needs because of another one. */
export const requiredMember = (path: string[]) =>
  invalidBody([{ code: 'invalid_type', path, message: 'Required', expected: 'object', received: 'undefined' }])

/** For a record that other writes changed in each of the tries. */
export const concurrentWriteConflict = () =>
  requestError(409, 'concurrent_write_conflict', 'The record changed while it was written. Send the request again.')

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
