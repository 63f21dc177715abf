/** Phone calls of people and companies: records of the activity for phone calls, whose slug is `activity`. */

import { api } from '../client'
import type { EntityTypePath } from '../data-model/attributes'
import { entitiesPath, type Entity, entityPath, queryEntities } from './entities'

/** The attribute that refers to the records with calls; it has the slug of their object. */
export type Caller = 'people' | 'companies'

export interface PhoneCallInput {
  readonly timestamp: string
  readonly direction: string | null
  readonly outcome: string | null
  readonly note: string | null
}

export interface PhoneCall extends PhoneCallInput {
  readonly id: string
}

const pathOf = (activity: string): EntityTypePath => ({ kind: 'activities', slug: activity })

export interface CallsPage {
  readonly calls: readonly PhoneCall[]
  readonly nextCursor: string | null
}

const PAGE = 50

/** The calls of a record, the newest first. */
export async function listPhoneCalls(
  activity: string,
  { of, recordId, cursor }: { readonly of: Caller; readonly recordId: string; readonly cursor: string | null },
  signal?: AbortSignal,
): Promise<CallsPage> {
  const filter = { [of]: { target_object: of, target_record_id: recordId } }
  const sorts = [{ attribute: 'timestamp', direction: 'desc' as const }]
  const page = await queryEntities(pathOf(activity), { filter, sorts, limit: PAGE, cursor }, signal)
  return { calls: page.entities.map(toCall), nextCursor: page.nextCursor }
}

export const logPhoneCall = (
  activity: string,
  { of, recordId }: { readonly of: Caller; readonly recordId: string },
  call: PhoneCallInput,
): Promise<unknown> => {
  const values = { ...call, [of]: [{ target_object: of, target_record_id: recordId }] }
  return api.post(entitiesPath(pathOf(activity)), { body: { data: { values } } })
}

/** The call can be restored from the trash with the API. */
export const deletePhoneCall = (activity: string, id: string): Promise<unknown> =>
  api.delete(entityPath(pathOf(activity), id))

function toCall({ id, created_at, values }: Entity): PhoneCall {
  const option = (slug: string) => titleOf(values[slug]?.[0]?.option)
  return {
    id,
    timestamp: textOf(values.timestamp?.[0]?.value) ?? created_at,
    direction: option('direction'),
    outcome: option('outcome'),
    note: textOf(values.note?.[0]?.value),
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const titleOf = (option: unknown): string | null =>
  typeof option === 'object' && option !== null && 'title' in option ? textOf(option.title) : null
