/** From rows of the table of imports to the answers of the console. */

import { visibleAttributes } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { isImportable, partsOf } from '#transfer/import/convert/converters'
import { parseTarget } from '#transfer/import/mapping/mapping'
import { chooseIdentification, matchableAttributes } from '#transfer/import/match/identify'
import { NO_ROWS } from '#transfer/import/row-outcomes'
import type { JobOutput } from '#api/jobs/schemas'
import { type Micros, timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import type { ImportDetail, ImportOutput, ImportTarget } from './schemas'
import type { ImportRow } from './store'

/** What the row alone does not say of the undo of an import. */
export interface UndoState {
  readonly until: Micros | undefined
  readonly job: JobOutput | undefined
}

export const renderImport = (row: ImportRow, { until, job }: UndoState): ImportOutput => ({
  id: row.id,
  object_id: row.object_id,
  file_name: row.file_name,
  file_size: Number(row.file_size),
  state: row.state,
  // This service wrote the next three members in this form.
  columns: row.columns === null ? [] : (JSON.parse(row.columns) as ImportOutput['columns']),
  plan: row.plan === null ? null : (JSON.parse(row.plan) as ImportOutput['plan']),
  counts: row.counts === null ? NO_ROWS : (JSON.parse(row.counts) as ImportOutput['counts']),
  bytes_read: Number(row.bytes_read),
  problems: row.problems,
  failure: row.failure,
  created_by_workspace_member_id: row.created_by,
  created_at: timestampFromPostgres(row.created_at),
  started_at: timestampOrNull(row.started_at),
  ended_at: timestampOrNull(row.ended_at),
  undo: { until: until === undefined ? null : timestampFromMicros(until), job: job ?? null },
})

/** Adds the choices that the current data model offers. */
export function renderDetail(row: ImportRow, undo: UndoState, model: DataModel, object: ObjectType): ImportDetail {
  const rendered = renderImport(row, undo)
  const columns = new Map(rendered.columns.map(({ name, target }) => [name, parseTarget(target)]))
  const { match, fallback } = chooseIdentification(model, object, { match: undefined, fallback: undefined, columns })
  const matchable = matchableAttributes(model, object).map(({ api_slug }) => api_slug)
  return {
    ...rendered,
    targets: targetsOf(model, object),
    matches: match === undefined ? matchable : [match.api_slug, ...matchable.filter((slug) => slug !== match.api_slug)],
    has_name: fallback !== undefined,
  }
}

/** The attributes that an import can write, and their parts, which have the title of the attribute. */
const targetsOf = (model: DataModel, object: ObjectType): ImportTarget[] =>
  visibleAttributes(model, object)
    .filter(isImportable)
    .flatMap(({ api_slug, title, type }) => [
      { target: api_slug, title, type },
      ...partsOf(type).map((part) => ({ target: `${api_slug}.${part}`, title, type })),
    ])
