/** Which activities, and which of the rarely used objects, have records. The navigation shows only these. */

import { SHOWN_WITH_RECORDS } from '#vocabulary/data-model'
import { queryEntities } from '../api/records/entities'
import { allRecordTypes, type DataModel, kindOf, type RecordType, recordTypeId } from './data-model.svelte'
import { changeEvents } from './events/change-events'
import { session } from './session.svelte'

/** The ids of objects and activities. */
let used = $state.raw<ReadonlySet<string>>(new Set())

const add = (id: string): void => {
  used = new Set([...used, id])
}

/** Whether records decide about a link in the navigation. */
const mustBeUsed = (type: RecordType): boolean =>
  kindOf(type) === 'activities' || SHOWN_WITH_RECORDS.some((slug) => slug === type.api_slug)

/** Whether the navigation has a link to the records. */
export const isInNavigation = (type: RecordType): boolean =>
  !mustBeUsed(type) ||
  used.has(recordTypeId(type)) ||
  session.workspace?.shown_objects.some((slug) => slug === type.api_slug) === true

/** Finds the used types of the data model, now and after events. Returns the function that ends it; for use in an effect. */
export function followUsedTypes(model: DataModel | undefined): () => void {
  const running = new AbortController()
  for (const type of allRecordTypes(model)) {
    const isKnown = used.has(recordTypeId(type)) || model?.neverUsedIds.has(recordTypeId(type)) === true
    if (type.api_slug !== null && mustBeUsed(type) && !isKnown) void find(type, running.signal)
  }
  const stop = changeEvents.observe({
    onevent({ event_type, id }) {
      const typeId = event_type === 'record.created' ? id.object_id : id.activity_id
      const isCreation = event_type === 'record.created' || event_type === 'activity-record.created'
      if (isCreation && typeId !== undefined && !used.has(typeId)) add(typeId)
    },
    onmissed: () => {},
  })
  return () => {
    stop()
    running.abort()
  }
}

/** A type whose records cannot be read is not shown. */
async function find(type: RecordType, signal: AbortSignal): Promise<void> {
  const path = { kind: kindOf(type), slug: type.api_slug ?? '' }
  const first = queryEntities(path, { fields: [], limit: 1 }, signal)
  const { entities } = await first.catch(() => ({ entities: [] }))
  if (entities.length > 0) add(recordTypeId(type))
}
