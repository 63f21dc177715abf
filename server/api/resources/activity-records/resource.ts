/** What is particular to records of activities, for the operations that all entities share. See docs/reference/activities.md. */

import { moveToTrash, readRecordOperation } from '#api/entities/record-writes'
import type { EntityResource } from '#api/entities/resource'
import { timestampFromPostgres } from '#base/timing/clock'
import type { RequestContext } from '#context'
import { getActivity } from '#engine/data-model/find'
import type { ActivityType, DataModel } from '#engine/data-model/model'
import { missingRecord } from '#engine/entities/read/etag'
import { headAsText, rendererOf } from '#engine/entities/read/render'
import { createdAtText, idOf, type Row } from '#engine/storage/layout'

export const ACTIVITY_RECORDS: EntityResource<ActivityType> = {
  kind: 'activity',
  member: 'values',
  idMembers: ['activity_id', 'record_id'],
  find: ({ model }, slugOrId) => getActivity(model, slugOrId),
  findReadable: ({ model }, slugOrId) => getActivity(model, slugOrId),
  noun: 'Record',
  missing: missingRecord,
  render: renderActivityRecord,
  headWriter: ({ model }, activity) => headAsText((row) => activityRecordHead(model, activity, row)),
  readOperation: readRecordOperation,
  delete: moveToTrash,
}

// The form of a record. See docs/reference/activities.md (Records).

/** Renders a record as JSON text. */
export function renderActivityRecord(
  { model }: Pick<RequestContext, 'model'>,
  activity: ActivityType,
  row: Row,
): string {
  return `${activityRecordHead(model, activity, row)}${rendererOf(model, activity).renderValues(row)}}`
}

/** The members of a record before its values. */
function activityRecordHead({ workspace }: DataModel, activity: ActivityType, row: Row): string {
  const id = `{"workspace_id":"${workspace.id}","activity_id":"${activity.id}","record_id":"${idOf(row)}"}`
  return `{"id":${id},"created_at":"${timestampFromPostgres(createdAtText(row))}","values":`
}
