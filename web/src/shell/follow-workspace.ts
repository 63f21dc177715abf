/** What stands around screens and within them, and others change: the names of records, and the lists. */

import { changeEvents } from '../state/change-events'
import { getDataModel } from '../state/data-model.svelte'
import { renewName } from '../state/record-names.svelte'

/** Attributes and objects may be renamed, too; those are read anew with each screen. */
export function followWorkspace(): () => void {
  const model = getDataModel()
  return changeEvents.attend({
    onevent({ event_type, id }) {
      if (event_type.startsWith('list.')) void model.load()
      if (!event_type.startsWith('record.') || id.record_id === undefined) return
      const object = model.data?.objects.find((one) => one.id.object_id === id.object_id)?.api_slug
      if (object) renewName(object, id.record_id)
    },
    onmissed() {},
  })
}
