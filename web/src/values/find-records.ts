/** The records of objects and activities that match a text, for pickers of references. */

import type { RecordTypePath } from '../api/data-model/attributes'
import { queryEntities } from '../api/records/entities'
import { type FoundRecord as SearchedRecord, searchRecords } from '../api/records/search'
import { loadAttributes } from '../state/attributes.svelte'
import { isActivity } from '../state/data-model.svelte'
import { nameIn, nameSlugs, TIMESTAMP } from '../state/record-label'

export type FoundRecord = Pick<SearchedRecord, 'record_text' | 'object_slug' | 'email_addresses' | 'domains'> & {
  readonly id: { readonly record_id: string }
}

const MAX_RECORDS = 8

/** The search of the API finds no records of activities: those are found by their label, the newest first. */
export async function findRecords(
  query: string,
  slugs: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const objects = slugs.filter((slug) => !isActivity(slug))
  const found = await Promise.all([
    ...(objects.length === 0 ? [] : [searchRecords(query, objects, signal)]),
    ...slugs.filter(isActivity).map((slug) => findOfActivity(query, { kind: 'activities', slug }, signal)),
  ])
  return found.flat()
}

async function findOfActivity(query: string, type: RecordTypePath, signal: AbortSignal): Promise<FoundRecord[]> {
  const fields = nameSlugs(type, await loadAttributes(type))
  const label = fields.find((slug) => slug !== TIMESTAMP)
  const filter = query === '' || label === undefined ? {} : { [label]: { $contains: query } }
  const sorts = [{ attribute: TIMESTAMP, direction: 'desc' as const }]
  const { entities } = await queryEntities(type, { filter, sorts, fields, limit: MAX_RECORDS }, signal)
  return entities.map(({ id, values }) => ({
    id: { record_id: id },
    record_text: nameIn(type, values, fields) ?? '',
    object_slug: type.slug,
  }))
}
