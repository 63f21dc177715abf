/** Lists the activity of a record. See docs/reference/activity.md; docs/decisions/activity-and-tasks.md. */

import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { missingRecord } from '#engine/entities/read/etag'
import { invalidQuery, readId } from '#base/errors/http'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { cursorsFor } from '#engine/query/run/cursor'
import { includesScope } from '#vocabulary/scopes'
import { createRecordLookup } from '#engine/storage/read-entities'
import { type ActivityQuery, ITEM_TYPES, type ItemType } from './schemas'
import { type ActivityRead, type ActivitySource, compareNewestFirst, type Item, type ItemKey } from './source'
import {
  commentsSource,
  emailsSource,
  filesSource,
  meetingsSource,
  notesSource,
  tasksCompletedSource,
  tasksLinkedSource,
} from './attached-sources'
import {
  activitiesAddedSource,
  activitiesChangedSource,
  creationSource,
  mergesSource,
  valuesSource,
  entriesAddedSource,
  entriesMovedSource,
  entriesRemovedSource,
} from './record-sources'

/** To add a kind of item, add its source here and its type to `schemas.ts`. */
const SOURCES: readonly ActivitySource[] = [
  creationSource,
  mergesSource,
  valuesSource,
  entriesAddedSource,
  entriesMovedSource,
  entriesRemovedSource,
  tasksLinkedSource,
  tasksCompletedSource,
  meetingsSource,
  emailsSource,
  notesSource,
  commentsSource,
  filesSource,
  activitiesAddedSource,
  activitiesChangedSource,
]

const SMALLEST_ID = '00000000-0000-0000-0000-000000000000'
const LARGEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** In the year 2255. Times of values are safe integers too. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER

/** A page as JSON text, newest first. Throws 404 for object and record, 400 for a cursor of another list. */
export const listActivity = (
  context: ApiContext,
  path: { readonly object: string; readonly recordId: string },
  query: ActivityQuery,
): Promise<string> =>
  retryOnConflict(context, async (context) => {
    const object = getObject(context.model, path.object)
    const recordId = readId('Record', path.recordId)
    if (!(await createRecordLookup(context.db.sql, context.model).recordExists(object, recordId)))
      throw await missingRecord(context, object, recordId)
    const { limit = 50, cursor } = query
    const types = parseTypes(query.type)
    const cursors = await cursorsFor(context, { id: `activity of ${recordId}` }, query)
    const after = cursor === undefined ? undefined : readKey(cursors.decode(cursor))
    const read = { context, object, recordId, limit: limit + 1 }
    const items = await readSources(read, types, after)
    const page = items.slice(0, limit)
    const last = page.at(-1)
    const next = last && items.length > limit ? cursors.encode([String(last.at), String(last.rank), last.id]) : null
    return `{"data":[${page.map(({ text }) => text).join(',')}],"pagination":{"next_cursor":${JSON.stringify(next)}}}`
  })

/** Throws 400 for a type that does not exist. */
function parseTypes(text: string | undefined): readonly ItemType[] {
  if (text === undefined) return ITEM_TYPES
  const names = text.split(',')
  const unknown = names.find((name) => !ITEM_TYPES.some((type) => type === name))
  if (unknown === undefined) return ITEM_TYPES.filter((type) => names.includes(type))
  throw invalidQuery([{ code: 'invalid_option', path: ['type'], message: `There are no "${unknown}" items` }])
}

/** Merges the sources: each returns its own first items, so the first of all are among them. */
async function readSources(
  read: Omit<ActivityRead, 'at' | 'id'>,
  types: readonly ItemType[],
  after: ItemKey | undefined,
): Promise<(Item & ItemKey)[]> {
  const { scopes } = read.context
  const readable = SOURCES.filter(
    (source) => types.includes(source.type) && source.scopes.every((scope) => includesScope(scopes, scope)),
  )
  const found = await Promise.all(
    readable.map(async (source) => {
      const items = await source.read({ ...read, ...boundOf(source, after) })
      return items.map((item) => ({ ...item, rank: source.rank }))
    }),
  )
  return found
    .flat()
    .toSorted((a, b) => b.at - a.at || b.rank - a.rank || compareNewestFirst(a, b))
    .slice(0, read.limit)
}

/** Where a source continues. At the time of the cursor, sources with a smaller rank still return all items, those with a larger rank none. */
function boundOf({ rank }: ActivitySource, after: ItemKey | undefined): Pick<ActivityRead, 'at' | 'id'> {
  if (after === undefined) return { at: END_OF_TIME, id: LARGEST_ID }
  if (rank === after.rank) return after
  return { at: after.at, id: rank < after.rank ? LARGEST_ID : SMALLEST_ID }
}

function readKey([at, rank, id]: readonly (string | null)[]): ItemKey {
  return { at: Number(at), rank: Number(rank), id: String(id) }
}
