/** Updates the names and pictures of records, the members, and the lists and activities in the navigation when other people change them. */

import { isNewMember, refreshMembers } from '../state/actors.svelte'
import { changeEvents } from '../state/events/change-events'
import { allRecordTypes, getDataModel, recordTypeId } from '../state/data-model.svelte'
import { refreshName } from '../state/record-names.svelte'
import { refreshPicture } from '../state/record-pictures.svelte'

/** Returns the function that ends it; for use in an effect. Screens load attributes and objects when they open. */
export function followWorkspace(): () => void {
  const model = getDataModel()
  return changeEvents.observe({
    onevent({ event_type, id, actor }) {
      // Members have no events of their own.
      if (actor && isNewMember(actor)) refreshMembers()
      if (event_type.startsWith('list.') || event_type.startsWith('activity.')) void model.load()
      if (id.record_id === undefined || !/^(activity-)?record\./.test(event_type)) return
      const typeId = id.object_id ?? id.activity_id
      const slug = allRecordTypes(model.data).find((one) => recordTypeId(one) === typeId)?.api_slug
      if (!slug) return
      refreshName(slug, id.record_id)
      if (id.object_id !== undefined) refreshPicture(slug, id.record_id)
    },
    onmissed: refreshMembers,
  })
}
