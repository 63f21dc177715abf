/** Reads, creates and renames activities. See docs/reference/activities.md (An activity). */

import type { ApiError } from '#base/errors/api-error'
import {
  activityQuotaExceeded,
  slugConflict,
  systemAttributeNotEditable,
  restoredNameConflict,
} from '#base/errors/attributes'
import { emptyPayload, readId } from '#base/errors/http'
import { timestampFromMicros } from '#base/timing/clock'
import type { ApiContext, RequestContext } from '#context'
import { changeModel, type ModelChange } from '#engine/data-model/change-model'
import { activityTypes, getActivity, findActivity } from '#engine/data-model/find'
import { type ActivityType, type DataModel, hasRecords } from '#engine/data-model/model'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { cursorsFor } from '#engine/query/run/cursor'
import { schemaIdOf } from '#engine/workspaces/activity-schemas'
import { insertActivity } from '#engine/workspaces/create-activity'
import { saveNames } from '#engine/workspaces/deleted-entity-types'
import type {
  ActivitiesAnswer,
  ActivityChange,
  ActivityInput,
  ActivityOutput,
  ListActivitiesQuery,
  ActivityDeletionCounts,
  DeletedActivityOutput,
} from './schemas'
import {
  countOwnParts,
  deleteRecordType,
  deleteRecordTypeForGood,
  listTrashed,
  restoreRecordType,
} from '#api/entities/deletion'

const DEFAULT_LIMIT = 100

/** Returns a page of activities in the order of their creation. Throws 400 for a cursor of another list. */
export async function listActivities(context: RequestContext, query: ListActivitiesQuery): Promise<ActivitiesAnswer> {
  const { model } = context
  const { limit = DEFAULT_LIMIT, cursor } = query
  const cursors = await cursorsFor(context, { id: 'activities' }, query)
  const last = cursor === undefined ? 0 : Number(cursors.decode(cursor)[0])
  const left = activityTypes(model).filter(({ number }) => number > last)
  const page = left.slice(0, limit)
  const end = page.at(-1)
  const next_cursor = end !== undefined && left.length > limit ? cursors.encode([String(end.number)]) : null
  return { data: page.map((activity) => renderActivity(model, activity)), pagination: { next_cursor } }
}

export const readActivity = ({ model }: RequestContext, slugOrId: string): ActivityOutput =>
  renderActivity(model, getActivity(model, slugOrId))

/** Throws 409 for the slug of another activity or of an object. */
export async function createActivity(context: ApiContext, input: ActivityInput): Promise<ActivityOutput> {
  const { changed: id, model } = await changeModel(context, async (step) => {
    refuseTakenSlug(step.model, input.api_slug)
    refuseOverQuota(step.model, context.objectQuota)
    const { extends: schema_slug, ...names } = input
    const activity = { ...names, schema_slug, system_slug: null }
    const created = await insertActivity(step, activity, timestampFromMicros(context.now()))
    await appendEvent(context, step, 'activity.created', created)
    return created.id
  })
  return renderActivity(model, getActivity(model, id))
}

/** Throws 400 for an empty change and for another slug of a system activity, 409 for a slug that is taken. */
export async function updateActivity(
  context: RequestContext,
  slugOrId: string,
  { api_slug, singular_noun, plural_noun }: ActivityChange,
): Promise<ActivityOutput> {
  if ([api_slug, singular_noun, plural_noun].every((member) => member === undefined)) throw emptyPayload()
  const { changed: id, model } = await changeModel(context, async (step) => {
    const activity = getActivity(step.model, slugOrId)
    const next = {
      ...activity,
      api_slug: api_slug ?? activity.api_slug,
      singular_noun: singular_noun ?? activity.singular_noun,
      plural_noun: plural_noun ?? activity.plural_noun,
    }
    if (activity.system_slug !== null && next.api_slug !== activity.api_slug)
      throw systemAttributeNotEditable('Cannot change the api_slug of a system activity.')
    refuseTakenSlug(step.model, next.api_slug, activity)
    await saveNames(step, activity, next)
    if (!Bun.deepEquals(activity, next)) await appendEvent(context, step, 'activity.updated', activity)
    return activity.id
  })
  return renderActivity(model, getActivity(model, id))
}

/** References name an object or an activity by its slug, so no two of them have the same. */
function refuseTakenSlug(model: DataModel, api_slug: string, self?: ActivityType): void {
  const conflict = findSlugConflict(model, api_slug, self)
  if (conflict) throw conflict
}

function findSlugConflict(model: DataModel, api_slug: string, self?: ActivityType): ApiError | undefined {
  const other = model.entityTypes.filter(hasRecords).find((each) => each.api_slug === api_slug && each.id !== self?.id)
  return other && slugConflict(other.kind, api_slug)
}

/** Deleted activities do not count. */
function refuseOverQuota(model: DataModel, quota: number): void {
  const custom = activityTypes(model).filter(({ system_slug }) => system_slug === null)
  if (custom.length >= quota) throw activityQuotaExceeded(quota)
}

const appendEvent = (
  context: RequestContext,
  { tx }: ModelChange,
  event_type: 'activity.created' | 'activity.updated',
  { id }: ActivityType,
): Promise<void> => appendToOutbox(tx, eventOriginOf(context), [{ event_type, id: { activity_id: id } }])

const renderActivity = ({ workspace }: DataModel, activity: ActivityType): ActivityOutput => ({
  id: { workspace_id: workspace.id, activity_id: activity.id },
  api_slug: activity.api_slug,
  singular_noun: activity.singular_noun,
  plural_noun: activity.plural_noun,
  extends: [{ schema_id: schemaIdOf(activity.schema_slug), schema_slug: activity.schema_slug }],
  is_system_activity: activity.system_slug !== null,
  created_at: activity.created_at,
})

// Deletes custom activities, lists those that can be restored, and restores them. See docs/reference/trash.md (Activities);
// docs/decisions/deleted-objects.md.

/**
 * Hides a custom activity with its records, and what refers to it, until it is restored or deleted for good. Throws 400 for a system
 * activity.
 */
export const deleteActivity = (context: ApiContext, slugOrId: string): Promise<void> =>
  deleteRecordType(context, (model) => getDeletableActivity(model, slugOrId))

function getDeletableActivity(model: DataModel, slugOrId: string): ActivityType {
  const activity = getActivity(model, slugOrId)
  if (activity.system_slug !== null) throw systemAttributeNotEditable('Cannot delete a system activity.')
  return activity
}

/** Counts what a deletion would hide, for a dry run. */
export const countActivityDeletion = async (context: ApiContext, slugOrId: string): Promise<ActivityDeletionCounts> =>
  countOwnParts(context, getDeletableActivity(context.model, slugOrId))

/** Lets a deleted activity expire, so that the worker deletes it for good. Throws 409 for an activity that is not deleted. */
export const deleteActivityForGood = (context: ApiContext, slugOrId: string): Promise<void> =>
  deleteRecordTypeForGood(context, { kind: 'activity', slugOrId }, findActivity)

/** Shows the activity again, with everything that was hidden with it. Throws 409 for a slug that is taken. */
export async function restoreActivity(
  context: ApiContext,
  given: string,
  input: ActivityChange,
): Promise<ActivityOutput> {
  const id = readId('Activity', given)
  const model = await restoreRecordType(context, { kind: 'activity', id }, (current, stored) => {
    const names = { ...stored, ...input }
    const conflict = findSlugConflict(current, names.api_slug)
    if (conflict) throw restoredNameConflict('activity', conflict, 'api_slug')
    refuseOverQuota(current, context.objectQuota)
    return names
  })
  return renderActivity(model, getActivity(model, id))
}

/** The deleted activities, the newest deletion first. */
export async function listTrashedActivities(context: ApiContext): Promise<DeletedActivityOutput[]> {
  const workspace_id = context.model.workspace.id
  const deleted = await listTrashed(context, 'activity')
  return deleted.map(({ id: activity_id, ...members }) => ({ id: { workspace_id, activity_id }, ...members }))
}
