/**
 * Follows the feeds of workspaces for what the service does about changes of records and activities that no request waits for. A reader gets each event
 * once, in the order of the feed, in the transaction that moves the position on. So writes of records need not know of the readers,
 * and a batch that fails is read again. See docs/decisions/contacts-and-interactions.md.
 */

import { sql } from 'kysely'
import type { Database, Transaction } from '#db/connect'
import type { ModelCache } from '#engine/data-model/cache'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { MAX_CLOCK_SKEW } from '#engine/outbox/outbox'
import { type Clock, type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'

export interface FeedOptions {
  readonly db: Database
  readonly models: Pick<ModelCache, 'getSince'>
  readonly now: Clock
}

export interface FollowedEvent {
  readonly event_type: string
  /** The time of the write. */
  readonly at: Micros
  readonly id: {
    readonly object_id?: string
    readonly record_id?: string
    readonly attribute_id?: string
    readonly activity_id?: string
    readonly list_id?: string
    readonly entry_id?: string
  }
  /** Of an entry. */
  readonly parent_object_id?: string
  readonly parent_record_id?: string
  /** Of a merge: an original. */
  readonly duplicate_record_id?: string
}

/** Writes what follows from events of one workspace in the transaction. */
export type FeedReader = (
  tx: Transaction,
  events: readonly FollowedEvent[],
  context: FeedOptions & { readonly model: DataModel },
) => Promise<void>

const BATCH_SIZE = 1_000

/** The events that readers get: those of records and entries, and those of activities and their records and attributes. */
const FOLLOWED = /^(record|list-entry|activity|activity-attribute|activity-record)\./

/** Reads what is new in the feeds of all workspaces, until everything is read or the signal aborts. */
export async function followFeeds(
  options: FeedOptions,
  readers: readonly FeedReader[],
  signal?: AbortSignal,
): Promise<void> {
  await beginFeeds(options)
  for (const { workspaceId, modelVersion } of await findFeedsWithEvents(options.db)) {
    const model = await options.models.getSince(workspaceId, modelVersion)
    for (;;) {
      if (signal?.aborted === true) return
      if ((await followBatch({ ...options, model }, readers)) < BATCH_SIZE) break
    }
  }
}

/** Follows the workspaces that are new. */
async function beginFeeds({ db, now }: FeedOptions): Promise<void> {
  await controlQueriesIn(db.sql)
    .insertInto('relata.followed_feeds')
    .columns(['workspace_id', 'position', 'recorded_at'])
    .expression(({ selectFrom }) =>
      selectFrom('relata.workspaces as w')
        .select(['w.id', sql<string>`0::bigint`.as('position')])
        .select(sql<string>`${timestampFromMicros(now())}::timestamptz`.as('recorded_at'))
        .where(({ exists, not, selectFrom: select }) =>
          not(
            exists(
              select('relata.followed_feeds as f').select('f.workspace_id').whereRef('f.workspace_id', '=', 'w.id'),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

interface FeedWithEvents {
  readonly workspaceId: string
  readonly modelVersion: number
}

async function findFeedsWithEvents(db: Database): Promise<FeedWithEvents[]> {
  return controlQueriesIn(db.sql)
    .selectFrom('relata.followed_feeds as f')
    .innerJoin('relata.workspaces as w', 'w.id', 'f.workspace_id')
    .select(['f.workspace_id as workspaceId', 'w.data_model_version as modelVersion'])
    .where(({ exists, ref, selectFrom }) =>
      exists(
        selectFrom('relata.events as e')
          .select('e.position')
          .whereRef('e.workspace_id', '=', 'f.workspace_id')
          .whereRef('e.position', '>', 'f.position')
          .where('e.recorded_at', '>=', sql<string>`${ref('f.recorded_at')} - ${MAX_CLOCK_SKEW}::interval`),
      ),
    )
    .execute()
}

/** Returns the number of events that were read. The row of the feed is locked, so that one process reads a batch. */
async function followBatch(
  context: FeedOptions & { readonly model: DataModel },
  readers: readonly FeedReader[],
): Promise<number> {
  const workspaceId = context.model.workspace.id
  const count = await context.db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const feed = await control
      .selectFrom('relata.followed_feeds')
      .select(['position', 'recorded_at'])
      .where('workspace_id', '=', workspaceId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (feed === undefined) return 0
    // The position is a parameter: from a join, PostgreSQL would read all later events, and sort them for the first ones.
    const rows = await control
      .selectFrom('relata.events')
      .select(['position', 'recorded_at', 'event_type', 'occurred_at', 'body'])
      .where('workspace_id', '=', workspaceId)
      .where('position', '>', feed.position)
      .where('recorded_at', '>=', sql<string>`${feed.recorded_at}::timestamptz - ${MAX_CLOCK_SKEW}::interval`)
      .orderBy('position')
      .limit(BATCH_SIZE)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) return 0
    const events = rows
      .filter(({ event_type }) => FOLLOWED.test(event_type))
      .map(({ event_type, occurred_at, body }): FollowedEvent => ({
        ...(JSON.parse(body) as FollowedEvent), // of every event
        event_type,
        at: microsFromPostgres(occurred_at),
      }))
    for (const read of readers) await read(tx, events, context)
    await control
      .updateTable('relata.followed_feeds')
      .set({ position: last.position, recorded_at: last.recorded_at })
      .where('workspace_id', '=', workspaceId)
      .execute()
    return rows.length
  })
  return Number(count)
}
