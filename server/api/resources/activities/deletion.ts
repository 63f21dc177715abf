/**
 * Deletes custom activities, lists those that can be restored, and restores them. See docs/reference/trash.md (Activities);
 * docs/decisions/deleted-objects.md.
 */

import {
  countOwnParts,
  deleteRecordType,
  deleteRecordTypeForGood,
  listTrashed,
  restoreRecordType,
} from '#api/entities/deletion'
import { restoredNameConflict, systemAttributeNotEditable } from '#base/errors/attributes'
import { readId } from '#base/errors/http'
import type { ApiContext } from '#context'
import { findActivity, getActivity } from '#engine/data-model/find'
import type { ActivityType, DataModel } from '#engine/data-model/model'
import { findSlugConflict, refuseOverQuota, renderActivity } from './activities'
import type { ActivityChange, ActivityDeletionCounts, ActivityOutput, DeletedActivityOutput } from './schemas'

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
