/** How far the workers of computed attributes are: up to when look-ups and rollups are true, and how much of a computation is done. */

import { sql } from 'kysely'
import type { Sql } from '#db/connect'
import { type Clock, type Micros, microsFromPostgres } from '#base/timing/clock'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { MAX_CLOCK_SKEW } from '#engine/outbox/outbox'
import { readOldestWrite } from '#engine/storage/statements/outbox-step'
import { isRolledUp, watchedIds } from './definition'

/** Whether the attribute is computed from emails, meetings and activities, at most once a minute. */
export const isOfInteractions = ({
  api_slug,
  is_system_attribute,
  computed,
}: Pick<Attribute, 'api_slug' | 'is_system_attribute' | 'computed'>): boolean =>
  is_system_attribute && computed === null && /_interaction$|^strongest_connection_/.test(api_slug)

/** Whether look-ups or rollups follow from such attributes. */
function followInteractions(model: DataModel): boolean {
  const watched = [...model.attributesById.values()].filter(isRolledUp).flatMap((each) => [...watchedIds(model, each)])
  return watched.some((id) => {
    const attribute = model.attributesById.get(id)
    return attribute !== undefined && isOfInteractions(attribute)
  })
}

/**
 * The time up to which all look-ups and rollups of the workspace have the writes. A write passes through the outbox, the feed, the queue of
 * interaction attributes if values follow from these, and the queue of look-ups and rollups. They are read in this order, so that none is missed
 * that moves on meanwhile.
 */
export async function readComputedAt(on: Sql, model: DataModel, now: Clock): Promise<Micros> {
  const at = now()
  const inOutbox = await readOldestWrite(on, model)
  const workspaceId = model.workspace.id
  const control = controlQueriesIn(on)
  const feed = await control
    .selectFrom('relata.followed_feeds')
    .select(['position', 'recorded_at'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const row = await control
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('relata.events')
        .select(({ fn }) => fn.min('occurred_at').as('time'))
        .where('workspace_id', '=', workspaceId)
        .where('position', '>', feed?.position ?? '0')
        .where(
          'recorded_at',
          '>=',
          sql<string>`${feed?.recorded_at ?? '-infinity'}::timestamptz - ${MAX_CLOCK_SKEW}::interval`,
        )
        .as('in_feed'),
      selectFrom('relata.rollup_refreshes')
        .select(({ fn }) => fn.min('requested_at').as('time'))
        .where('workspace_id', '=', workspaceId)
        .as('in_queue'),
      selectFrom('relata.interaction_refreshes')
        .select(({ fn }) => fn.min('requested_at').as('time'))
        .where('workspace_id', '=', followInteractions(model) ? workspaceId : null)
        .as('in_interactions'),
    ])
    .executeTakeFirst()
  const waiting = [inOutbox, row?.in_feed, row?.in_interactions, row?.in_queue].flatMap((time) =>
    time == null ? [] : microsFromPostgres(time),
  )
  return Math.min(at, ...waiting)
}

/** Of a computation that has not ended. */
export interface Progress {
  readonly computed: number
  /** How many records or entries there were when it began. Null before they are counted. */
  readonly total: number | null
}

/** Of the computation of an attribute for all entities. Undefined when there is none. */
export async function readProgress(
  on: Sql,
  { workspace }: DataModel,
  attribute: Attribute,
): Promise<Progress | undefined> {
  const control = controlQueriesIn(on)
  const row = isRolledUp(attribute)
    ? await control
        .selectFrom('relata.rollup_refreshes')
        .select(['computed_count', 'total_count'])
        .where(equal({ workspace_id: workspace.id, attribute_id: attribute.id }))
        .where('entity_id', 'is', null)
        .executeTakeFirst()
    : await control
        .selectFrom('relata.formula_fills')
        .select(['computed_count', 'total_count'])
        .where(equal({ workspace_id: workspace.id, entity_type_id: attribute.entity_type_id }))
        .executeTakeFirst()
  if (row === undefined) return undefined
  const computed = Number(row.computed_count)
  return { computed, total: row.total_count === null ? null : Math.max(Number(row.total_count), computed) }
}
