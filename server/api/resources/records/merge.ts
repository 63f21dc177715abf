import type { ApiContext } from '#context'
import { selfMerge } from '#base/errors/records'
import { getWritableObject } from '#engine/data-model/find'
import { mergeEntities } from '#engine/entities/merge/merge-entities'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'

/**
 * Merges two records of one object into a new one and returns its id. The new record is readable immediately. Throws 400
 * `self_merge`, 404 for the object, 404 `value_not_found` for a record.
 * See docs/reference/records.md (Merge).
 */
export const mergeRecords = (
  context: ApiContext,
  object: string,
  ids: { readonly primary_record_id: string; readonly secondary_record_id: string },
): Promise<{ data: { new_record_id: string } }> =>
  retryOnConflict(context, async (context) => {
    const entityType = getWritableObject(context.model, object)
    const [primary, secondary] = [ids.primary_record_id.toLowerCase(), ids.secondary_record_id.toLowerCase()]
    if (primary === secondary) throw selfMerge()
    return {
      data: { new_record_id: await mergeEntities(context, entityType, [primary, secondary], context.trashDays) },
    }
  })
