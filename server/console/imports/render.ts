/** Imports as the console shows them. */

import { visibleAttributes } from '../../data-model/find'
import type { DataModel, ObjectType } from '../../data-model/model'
import { converterOf } from '../../import/convert/registry'
import { partsOf } from '../../import/convert/parts'
import { chooseIdentification, matchableAttributes } from '../../import/match/identify'
import { timestampFromPostgres } from '../../timing/clock'
import type { ImportDetail, ImportOutput, ImportTarget } from './schemas'
import { type ImportRow, NO_COUNTS } from './store'

export const renderImport = (row: ImportRow): ImportOutput => ({
  id: row.id,
  object_id: row.object_id,
  file_name: row.file_name,
  file_size: Number(row.file_size),
  state: row.state,
  // The next three are written in this form and never changed.
  columns: row.columns === null ? [] : (JSON.parse(row.columns) as ImportOutput['columns']),
  plan: row.plan === null ? null : (JSON.parse(row.plan) as ImportOutput['plan']),
  counts: row.counts === null ? NO_COUNTS : (JSON.parse(row.counts) as ImportOutput['counts']),
  bytes_read: Number(row.bytes_read),
  problems: row.problems,
  failure: row.failure,
  created_by_workspace_member_id: row.created_by,
  created_at: timestampFromPostgres(row.created_at),
  started_at: row.started_at === null ? null : timestampFromPostgres(row.started_at),
  ended_at: row.ended_at === null ? null : timestampFromPostgres(row.ended_at),
})

/** With what can be chosen for it, as the data model is now. */
export function renderDetail(row: ImportRow, model: DataModel, object: ObjectType): ImportDetail {
  const { match, fallback } = chooseIdentification(model, object, { match: undefined, fallback: undefined })
  const matchable = matchableAttributes(model, object).map(({ api_slug }) => api_slug)
  return {
    ...renderImport(row),
    targets: targetsOf(model, object),
    matches: match === undefined ? matchable : [match.api_slug, ...matchable.filter((slug) => slug !== match.api_slug)],
    has_name: fallback !== undefined,
  }
}

/** Attributes that are written, and the parts of those that have some. */
const targetsOf = (model: DataModel, object: ObjectType): ImportTarget[] =>
  visibleAttributes(model, object)
    .filter(({ is_writable, type }) => is_writable && converterOf(type) !== undefined)
    .flatMap(({ api_slug, title, type }) => [
      { target: api_slug, title, type },
      ...partsOf(type).map((part) => ({
        target: `${api_slug}.${part}`,
        title: `${title}: ${describeScopes(part)}`,
        type,
      })),
    ])

const describeScopes = (part: string): string => part.replaceAll('_', ' ')
