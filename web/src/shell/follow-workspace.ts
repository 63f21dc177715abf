/** Updates the names of records, the members and the lists in the navigation when other people change them. */

import { isNewMember, refreshMembers } from '../state/actors.svelte'
import { changeEvents } from '../state/events/change-events'
import { getDataModel } from '../state/data-model.svelte'
import { refreshName } from '../state/record-names.svelte'

/** Returns the function that ends it; for use in an effect. Screens load attributes and objects when they open. */
export function followWorkspace(): () => void {
  const model = getDataModel()
  return changeEvents.observe({
    onevent({ event_type, id, actor }) {
      // Members have no events of their own.
      if (actor && isNewMember(actor)) refreshMembers()
      if (event_type.startsWith('list.')) void model.load()
      if (!event_type.startsWith('record.') || id.record_id === undefined) return
      const object = model.data?.objects.find((one) => one.id.object_id === id.object_id)?.api_slug
      if (object) refreshName(object, id.record_id)
    },
    onmissed: refreshMembers,
  })
}
