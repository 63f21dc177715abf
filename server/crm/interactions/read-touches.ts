/**
 * Reads the touches that decide about interaction attributes: for each address, domain or record the first one, the newest ones and
 * the next one. Of emails and meetings, each is one range of one index, so the cost does not depend on how many there are.
 */

import { sql } from 'kysely'
import { renderArray, type Sql } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { findHiddenMailboxes } from '#crm/mailboxes/list-emails'
import { findHiddenCalendars, isMeetingHidden } from '#crm/meetings/visibility'
import type { InteractionType } from '#engine/attribute-types/interaction'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { readInteractionRecords } from '#engine/storage/statements/interaction-statements'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { interactionActivities } from './interaction-activities'

/** The connection strength counts at most this many emails and meetings of each address, and records of each activity. */
const MAX_NEWEST = 50

interface EmailRow {
  readonly key: string
  readonly sent_at: string
  readonly message_key: string
  readonly owner: number
}

export async function readEmails(
  db: Sql,
  { workspace }: DataModel,
  source: 'addresses' | 'domains',
  keys: readonly string[],
): Promise<TouchesByKey> {
  if (keys.length === 0) return new Map()
  const { table, column } = SOURCES[source]
  const hidden = await findHiddenMailboxes(db, workspace.id, undefined)
  const email = sql`relata.emails x where x.workspace_id = ${workspace.id} and x.id = t.email_id`
  // As an aggregate, PostgreSQL looks it up for each email of the range, and never joins all emails.
  const isVisible = sql`(select count(*) from ${email} and x.mailbox_id <> all(${renderArray(hidden)}::uuid[])) = 1`
  const range = (order: string, limit: number) => sql`
    (select sent_at, email_id, owner from ${sql.raw(table)} t
     where workspace_id = ${workspace.id} and ${sql.raw(column)} = k.key ${hidden.length === 0 ? sql`` : sql`and ${isVisible}`}
     order by sent_at ${sql.raw(order)}, email_id ${sql.raw(order)} limit ${limit})`
  const { rows } = await sql<EmailRow>`
    select k.key, t.sent_at, (select x.message_key from ${email}) as message_key, t.owner from unnest(${renderArray(keys)}::text[]) as k(key),
      lateral (${range('asc', 1)} union all ${range('desc', MAX_NEWEST)}) t`.execute(controlQueriesIn(db))
  return groupByKey(
    rows.map(({ key, sent_at, message_key, owner }) => [
      key,
      // An email that several accounts of a member have counts once.
      { id: `${owner} ${message_key}`, kind: 'email', at: microsFromPostgres(sent_at), owner },
    ]),
  )
}

const SOURCES = {
  addresses: { table: 'relata.email_addresses', column: 'email_address' },
  domains: { table: 'relata.email_domains', column: 'email_domain' },
} as const

interface MeetingRow {
  readonly key: string
  readonly meeting_id: string
  readonly starts_at: string
}

export async function readMeetingTouches(
  db: Sql,
  model: DataModel,
  addresses: readonly string[],
  now: Micros,
): Promise<TouchesByKey> {
  if (addresses.length === 0) return new Map()
  // The orders of the index `meeting_participants_address`.
  const orders = { first: 'starts_at, meeting_id desc', newest: 'starts_at desc, meeting_id' } as const
  const hidden = await findHiddenCalendars(db, model.workspace.id, undefined)
  const isVisible = sql`and not ${isMeetingHidden(model.workspace.id, 'relata.meeting_participants.meeting_id', hidden)}`
  const range = (condition: string, order: keyof typeof orders, limit: number) => sql`
    (select meeting_id, starts_at from relata.meeting_participants
     where workspace_id = ${model.workspace.id} and email_address = k.key ${hidden.length === 0 ? sql`` : isVisible}
       and starts_at ${sql.raw(condition)} ${timestampFromMicros(now)}::timestamptz
     order by ${sql.raw(orders[order])} limit ${limit})`
  const { rows } = await sql<MeetingRow>`
    select k.key, t.meeting_id, t.starts_at from unnest(${renderArray(addresses)}::text[]) as k(key), lateral (
      ${range('<=', 'first', 1)} union all ${range('<=', 'newest', MAX_NEWEST)} union all ${range('>', 'first', 1)}) t`.execute(
    controlQueriesIn(db),
  )
  const owners = await readOwners(db, model, [...new Set(rows.map(({ meeting_id }) => meeting_id))])
  return groupByKey(
    rows.map(({ key, meeting_id, starts_at }) => [
      key,
      {
        id: meeting_id,
        kind: 'calendar-event',
        at: microsFromPostgres(starts_at),
        owner: owners.get(meeting_id) ?? 0,
      },
    ]),
  )
}

/** The member who organizes each meeting, else the first member who takes part. */
async function readOwners(
  db: Sql,
  { workspace, membersByEmail }: DataModel,
  meetingIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (meetingIds.length === 0) return new Map()
  const { rows } = await sql<{ meeting_id: string; email_address: string }>`
    select distinct on (meeting_id) meeting_id, email_address from relata.meeting_participants
    where workspace_id = ${workspace.id} and meeting_id = any(${renderArray(meetingIds)}::uuid[])
      and email_address = any(${renderArray([...membersByEmail.keys()])}::text[])
    order by meeting_id, is_organizer desc, position`.execute(controlQueriesIn(db))
  return new Map(rows.map((row) => [row.meeting_id, membersByEmail.get(row.email_address)?.actor ?? 0]))
}

/** The records of activities that refer to people and companies. */
export async function readActivityTouches(
  db: Sql,
  model: DataModel,
  records: readonly { readonly object: ObjectType; readonly ids: readonly string[] }[],
  now: Micros,
): Promise<TouchesByKey> {
  const activities = interactionActivities(model)
  const found = await Promise.all(
    records.map(({ object, ids }) =>
      readInteractionRecords(db, model, { activities, object, ids }, { now, newest: MAX_NEWEST }),
    ),
  )
  return groupByKey(
    found
      .flat()
      .map(({ key, id, interactionType, at, owner }) => [
        key,
        { id, kind: interactionType, at, owner: isMember(model, owner) ? owner : 0 },
      ]),
  )
}

const isMember = ({ actors }: DataModel, actor: number | null): actor is number =>
  actor !== null && actors.get(actor)?.type === 'workspace-member'

function groupByKey(rows: readonly (readonly [string, Touch])[]): TouchesByKey {
  const touches = new Map<string, Touch[]>()
  for (const [key, touch] of rows) {
    const own = touches.get(key)
    if (own === undefined) touches.set(key, [touch])
    else own.push(touch)
  }
  return touches
}

/** An email, a meeting or a record of an activity, as the interaction attributes need it. */
export interface Touch {
  readonly id: string
  readonly kind: InteractionType
  /** When the email was sent, the meeting starts, or the activity happens. */
  readonly at: Micros
  /** The number of the actor of the member who took part; 0 without a member. */
  readonly owner: number
}

/** By address, domain or id of a record. Of each, the first touch, the newest ones, and the next one. */
export type TouchesByKey = ReadonlyMap<string, readonly Touch[]>
