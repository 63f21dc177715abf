/**
 * Removes the sample data of a workspace, and finds the records of it that were changed since they were filled. Rows say what the sample
 * data consists of.
 */
import type { AppContext } from '#context'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { dataOf, type SendRequest } from './requests'
import type { ChangedRecord, SampleDataAnswer, SampleDataRemovalAnswer } from './schemas'

type Remover = Pick<AppContext, 'db'>

export async function describeSamples(
  { db }: Remover,
  workspaceId: string,
  send: SendRequest,
): Promise<SampleDataAnswer['data']> {
  const items = await listSamples(db.sql, workspaceId)
  if (items.length === 0) return null
  const records = await readRecords(items, send)
  return { records: records.length, changed: records.flatMap(({ changed }) => changed ?? []) }
}

/** Moves the sample records to the trash. With `keepsChanged`, records that were changed stay, and are no sample data any more. */
export async function removeSamples(
  app: Remover,
  workspaceId: string,
  send: SendRequest,
  keepsChanged: boolean,
): Promise<SampleDataRemovalAnswer['data']> {
  const items = await listSamples(app.db.sql, workspaceId)
  const records = keepsChanged ? await readRecords(items, send) : []
  const kept = new Set(records.flatMap(({ changed }) => changed?.record_id ?? []))
  const removed = items.filter(({ id }) => !kept.has(id))
  await deleteItems(app, workspaceId, send, removed)
  await deleteSamples(app.db.sql, workspaceId, [...kept])
  return { removed: removed.filter(({ kind }) => kind === 'record').length, kept: kept.size }
}

const PATHS = { note: '/notes', task: '/tasks', meeting: '/meetings' } as const

/** Deletes sample items, the latest first. Items that were deleted before are left out. */
export async function deleteItems(
  { db }: Remover,
  workspaceId: string,
  send: SendRequest,
  items: readonly SampleItem[],
): Promise<void> {
  for (const { kind, id, object_id } of items.toReversed()) {
    const path = kind === 'record' ? `/objects/${object_id}/records/${id}` : `${PATHS[kind]}/${id}`
    const answer = await send('DELETE', path)
    if (answer.status !== 404) dataOf(answer)
    await deleteSamples(db.sql, workspaceId, [id])
  }
}

interface FoundRecord {
  /** Undefined for a record as it was filled. */
  readonly changed: ChangedRecord | undefined
}

/** The records that exist. */
async function readRecords(items: readonly SampleItem[], send: SendRequest): Promise<FoundRecord[]> {
  const sampleIds = new Set(items.map(({ id }) => id))
  const found = await Promise.all(
    items.filter(({ kind }) => kind === 'record').map((item) => readRecord(item, sampleIds, send)),
  )
  return found.filter((one) => one !== undefined)
}

interface RecordData {
  readonly values: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

interface ItemData {
  readonly type: string
  readonly actor: { readonly type: string | null }
  readonly note?: { readonly note_id: string }
  readonly task?: { readonly task_id: string }
  readonly meeting?: { readonly meeting_id: string }
}

/** Undefined for a record that was deleted. */
async function readRecord(
  { id, object_id }: SampleItem,
  sampleIds: ReadonlySet<string>,
  send: SendRequest,
): Promise<FoundRecord | undefined> {
  const path = `/objects/${object_id}/records/${id}`
  const [record, activity] = await Promise.all([send('GET', path), send('GET', `${path}/activity`)])
  if (record.status === 404) return undefined
  const { values } = dataOf<RecordData>(record)
  const isSame =
    dataOf<ItemData[]>(activity).every((item) => isOfSamples(item, sampleIds)) && refersTo(values, sampleIds)
  if (isSame) return { changed: undefined }
  return { changed: { object: String(object_id), record_id: id, name: nameIn(values) } }
}

/** Whether the filling made the item of the activity. The service itself writes the other sides of references. */
const isOfSamples = ({ type, actor, note, task, meeting }: ItemData, sampleIds: ReadonlySet<string>): boolean =>
  type === 'record.created' ||
  actor.type === 'system' ||
  [note?.note_id, task?.task_id, meeting?.meeting_id].some((id) => id !== undefined && sampleIds.has(id))

/** Whether the record refers only to sample records, and is referred to only by them. */
const refersTo = (values: RecordData['values'], sampleIds: ReadonlySet<string>): boolean =>
  Object.values(values)
    .flat()
    .every(({ target_record_id: target }) => typeof target !== 'string' || sampleIds.has(target))

/** The name of a person, or that of a company or a deal. */
function nameIn({ name }: RecordData['values']): string {
  const { full_name, value } = name?.[0] ?? {}
  return [full_name, value].find((text) => typeof text === 'string' && text !== '')?.toString() ?? 'Unnamed'
}

export type SampleKind = 'record' | 'note' | 'task' | 'meeting'

export interface SampleItem {
  readonly kind: SampleKind
  readonly id: string
  /** Of a record. */
  readonly object_id: string | null
}

/** In the order of their creation. */
export async function listSamples(on: Sql | Transaction, workspaceId: string): Promise<SampleItem[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.sample_items')
    .select(['kind', 'id', 'object_id'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('position')
    .execute()
  return rows.map(({ kind, id, object_id }) => ({ kind: kind as SampleKind, id, object_id })) // checked by the table
}

/**
 * The position orders the items of a workspace. Returns false where another item has it: two requests fill at the same time, and
 * only one of them inserts the first item.
 */
export async function insertSample(
  on: Sql,
  workspaceId: string,
  item: SampleItem & { readonly position: number },
): Promise<boolean> {
  const inserted = await controlQueriesIn(on)
    .insertInto('relata.sample_items')
    .values({ workspace_id: workspaceId, ...item })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'position']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

async function deleteSamples(on: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await controlQueriesIn(on)
    .deleteFrom('relata.sample_items')
    .where(equal({ workspace_id: workspaceId }))
    .where('id', 'in', [...ids])
    .execute()
}
