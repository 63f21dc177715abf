/** Files of records that an import reads back without a change. */

import type { EntityTypePath } from '../data-model/attributes'
import { TIME_ZONE } from '../../values/local-time'
import { api } from '../client'
import { entitiesPath, type EntityQuery, MAX_IDS } from './entities'
import { isReferencedSlug, sortAlongPath } from './referenced-values'

/** Streams the records of a query as a CSV file. Attributes of referenced records are no part of it. */
export const streamImportable = (
  entityType: EntityTypePath,
  { filter = {}, sorts, fields = [] }: EntityQuery,
  signal?: AbortSignal,
): Promise<Response> =>
  api.open(`${entitiesPath(entityType)}/export`, {
    query: {
      format: 'csv',
      importable: true,
      filter: JSON.stringify(filter),
      sorts: sorts && JSON.stringify(sorts.map((sort) => sortAlongPath(entityType, sort))),
      time_zone: TIME_ZONE,
      attributes: fields.filter((slug) => !isReferencedSlug(slug)).join(','),
    },
    accept: 'text/csv',
    signal,
  })

/** The queries that find these records. A URL has room for the ids of one. */
export function* queriesOf(ids: readonly string[], fields: readonly string[]): Generator<EntityQuery> {
  for (let at = 0; at < ids.length; at += MAX_IDS)
    yield { filter: { record_id: { $in: ids.slice(at, at + MAX_IDS) } }, fields }
}
