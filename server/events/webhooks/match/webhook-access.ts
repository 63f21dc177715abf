/**
 * What a webhook gets: the events of its subscriptions that its viewers may see. A webhook gets only events that one of its viewers may see now. The viewers are the API key
 * or the active grants of the app that the webhook belongs to; otherwise the actor who saved the webhook last.
 * See docs/decisions/event-access.md.
 */

import type { Sql, Transaction } from '#db/connect'
import type { Actor, TeamAccess } from '#engine/data-model/model'
import type { ListAccess, Viewer } from '#engine/data-model/viewer'
import { ROLE_SCOPES } from '#vocabulary/roles'
import type { Scope } from '#vocabulary/scopes'
import { sha256 } from '#base/text/sha256'
import type { WebhookTarget } from '#events/webhooks/delivery'
import {
  type ChangedValues,
  type ChangeEventBody,
  EVENT_KINDS,
  type EventType,
  type WebhookEventType,
} from '#vocabulary/event-types'

export interface WebhookAccess {
  readonly workspaceId: string
  readonly id: string
  readonly targetUrl: string
  readonly subscriptions: readonly Subscription[]
  /** Empty when the webhook's API key and all its grants are revoked. */
  readonly viewers: readonly Viewer[]
  /**
   * A hash that differs whenever the target, the subscriptions or what the viewers may see differ. A delivery is sent only
   * to the target that was read with the same hash.
   */
  readonly rights: string
}

/** Leaves out inactive webhooks. */
export async function listActiveWebhooks(tx: Transaction, workspaceIds: readonly string[]): Promise<WebhookAccess[]> {
  const rows = await tx<WebhookAccessRow[]>`
    select ${accessColumns(tx)} from ${webhooksWithSavers(tx)}
    where w.workspace_id = any(${[...workspaceIds]}::uuid[]) and w.status <> 'inactive'`
  return rows.map(webhookAccessOf)
}

/** Returns undefined when the webhook does not exist. */
export async function findWebhookAccess(
  sql: Sql,
  workspaceId: string,
  webhookId: string,
): Promise<WebhookAccess | undefined> {
  const [row] = await sql<WebhookAccessRow[]>`
    select ${accessColumns(sql)} from ${webhooksWithSavers(sql)}
    where w.workspace_id = ${workspaceId} and w.id = ${webhookId}`
  return row && webhookAccessOf(row)
}

export function webhookAccessOf(row: WebhookAccessRow): WebhookAccess {
  const { model_version, target_url, saved_by, access_level, clients, subscriptions } = row
  let rights: string | undefined
  return {
    workspaceId: row.workspace_id,
    id: row.webhook_id,
    targetUrl: target_url,
    subscriptions: JSON.parse(subscriptions),
    viewers: viewersOf(row),
    // Most webhooks of a workspace get no event of a batch. The version stands for access to lists and objects, and for teams.
    get rights() {
      return (rights ??= sha256(
        JSON.stringify([model_version, target_url, saved_by, access_level, grants(clients), subscriptions]),
      ))
    },
  }
}

/** The rows of an array have no order. */
const grants = (clients: string): string[] =>
  (JSON.parse(clients) as unknown[]).map((each) => JSON.stringify(each)).sort()

/** The access settings of these lists, by the list's id. */
export async function findListAccess(
  sql: Sql | Transaction,
  workspaceIds: readonly string[],
  listIds: readonly string[],
): Promise<Map<string, ListAccess>> {
  if (listIds.length === 0) return new Map()
  const rows = await sql<ListAccessRow[]>`
    select id, workspace_access, array_to_json(array(
      select json_build_object('workspace_member_id', workspace_member_id, 'level', level) from relata.list_members m
      where m.workspace_id = l.workspace_id and m.list_id = l.id)) as members, array_to_json(array(
      select json_build_object('team_id', t.team_id, 'level', t.level, 'member_ids', array(
        select member_id from relata.team_members m where m.workspace_id = t.workspace_id and m.team_id = t.team_id))
      from relata.list_teams t where t.workspace_id = l.workspace_id and t.list_id = l.id)) as teams
    from relata.lists l
    where workspace_id = any(${[...workspaceIds]}::uuid[]) and id::text = any(${[...listIds]}::text[])`
  return new Map(
    rows.map(({ id, workspace_access, members, teams }) => [
      id,
      { workspace_access, workspace_member_access: JSON.parse(members), teamAccess: teamAccessOf(teams) },
    ]),
  )
}

/** The workspaces in which not every member has read-write access to every object, with the versions of their data models. */
export const findWorkspacesWithGrants = (
  sql: Sql | Transaction,
  workspaceIds: readonly string[],
): Promise<{ readonly id: string; readonly version: number }[]> => sql<{ id: string; version: number }[]>`
  select w.id, w.data_model_version as version from relata.workspaces w
  where w.id = any(${[...workspaceIds]}::uuid[]) and (
    exists (select from relata.objects o where o.workspace_id = w.id and o.member_access <> 'read-write')
    or exists (select from relata.object_teams t where t.workspace_id = w.id))`

interface ListAccessRow {
  readonly id: string
  readonly workspace_access: ListAccess['workspace_access']
  /** JSON. */
  readonly members: string
  readonly teams: string
}

function teamAccessOf(json: string): TeamAccess[] {
  const teams = JSON.parse(json) as (Omit<TeamAccess, 'memberIds'> & { member_ids: string[] })[] // as built above
  return teams.map(({ team_id, level, member_ids }) => ({ team_id, level, memberIds: new Set(member_ids) }))
}

/** The columns of `accessColumns`. */
export interface WebhookAccessRow {
  readonly workspace_id: string
  readonly webhook_id: string
  readonly target_url: string
  /** JSON. */
  readonly subscriptions: string
  readonly saved_by: number
  readonly model_version: number
  readonly kind: Actor['type'] | null
  readonly member_id: string | null
  readonly access_level: 'admin' | 'member' | 'suspended' | null
  /** JSON: the scopes of each API key and grant, with the member who authorised it. */
  readonly clients: string
}

/** Actor 0 is the system and has no row. */
export const webhooksWithSavers = (sql: Sql | Transaction) => sql`relata.webhooks w
  join relata.workspaces s on s.id = w.workspace_id
  left join relata.actors a on a.workspace_id = w.workspace_id and a.number = w.saved_by
  left join relata.workspace_members m
    on a.type = 'workspace-member' and m.workspace_id = w.workspace_id and m.id = a.id`

export const accessColumns = (
  sql: Sql | Transaction,
) => sql`w.workspace_id, w.id as webhook_id, w.target_url, w.subscriptions, w.saved_by,
  s.data_model_version as model_version,
  a.type as kind, m.id as member_id, m.access_level, array_to_json(array(
    select json_build_object('scopes', t.scopes, 'memberId', t.authorized_by_workspace_member_id) from relata.tokens t
    where t.workspace_id = w.workspace_id and t.client_id = w.client_id and t.grant_id is null and t.revoked_at is null
    union all
    select json_build_object('scopes', g.scopes, 'memberId', g.workspace_member_id) from relata.grants g
    where g.workspace_id = w.workspace_id and g.app_id = w.client_id and g.level = 'workspace' and g.revoked_at is null
    union all
    select json_build_object('scopes', t.scopes, 'memberId', t.authorized_by_workspace_member_id) from relata.tokens t
    where w.client_id is null and a.type = 'api-token' and t.workspace_id = w.workspace_id and t.id = a.id
      and t.revoked_at is null
  )) as clients`

function viewersOf({ kind, member_id, access_level, clients }: WebhookAccessRow): Viewer[] {
  if (kind === null) return [{ kind: 'system', scopes: ROLE_SCOPES.admin }]
  if (kind === 'workspace-member') return [memberViewer(member_id, access_level)]
  const found = JSON.parse(clients) as { scopes: Scope[]; memberId: string }[] // as built above
  return found.map(({ scopes, memberId }) => ({ kind, memberId, scopes: new Set(scopes) }))
}

/** A suspended member sees no lists that were shared with them. */
function memberViewer(memberId: string | null, accessLevel: WebhookAccessRow['access_level']): Viewer {
  if (accessLevel === 'admin') return { kind: 'workspace-member', isAdmin: true, scopes: ROLE_SCOPES.admin }
  const shared = accessLevel === 'member' && memberId !== null ? { memberId } : {}
  return { kind: 'workspace-member', ...shared, scopes: ROLE_SCOPES.member }
}

// What an attempt needs of a webhook.

/** `previous_secret` is null when it has expired. */
export interface SecretsRow {
  readonly secret: string
  readonly previous_secret: string | null
  readonly failures: number
}

export const webhookTargetOf = (
  row: SecretsRow,
  { workspaceId, id, targetUrl, rights }: WebhookAccess,
): WebhookTarget => ({
  workspaceId,
  webhookId: id,
  targetUrl,
  rights,
  storedSecrets: { current: row.secret, ...(row.previous_secret !== null && { previous: row.previous_secret }) },
  failures: row.failures,
})

// The events that a webhook is subscribed to. See docs/reference/webhooks-and-events.md (Subscription filters).

export interface SubscriptionCondition {
  /** A dot path into an event as delivered. */
  readonly field: string
  readonly operator: 'equals' | 'not_equals'
  readonly value: string
}

export type SubscriptionFilter =
  { readonly $and: readonly SubscriptionCondition[] } | { readonly $or: readonly SubscriptionCondition[] }

export interface Subscription {
  readonly event_type: WebhookEventType
  /** Null or a filter without conditions passes all events of the type. */
  readonly filter: SubscriptionFilter | null
  /** What the events include beside ids. Undefined for nothing. */
  readonly include?: readonly 'values'[]
}

export const conditionsOf = (filter: SubscriptionFilter): readonly SubscriptionCondition[] =>
  '$and' in filter ? filter.$and : filter.$or

/** Whether a filter passes every event. Clients write `{"$and":[]}` for that as well. */
export const passesAll = (filter: SubscriptionFilter | null): boolean =>
  filter === null || conditionsOf(filter).length === 0

export function isSubscribed(subscriptions: readonly Subscription[], event: ChangeEventBody): boolean {
  return subscriptions.some(({ event_type, filter }) => event_type === event.event_type && passes(filter, event))
}

function passes(filter: SubscriptionFilter | null, event: ChangeEventBody): boolean {
  if (filter === null || passesAll(filter)) return true
  return '$and' in filter
    ? filter.$and.every((condition) => meets(condition, event))
    : filter.$or.some((condition) => meets(condition, event))
}

/** Compares strings. A member that is absent or null equals no value. */
function meets({ field, operator, value }: SubscriptionCondition, event: ChangeEventBody): boolean {
  const found = valueAt(event, field)
  const isEqual = found !== undefined && found !== null && String(found) === value
  return operator === 'equals' ? isEqual : !isEqual
}

/** Whether events of this type can have a value at this path. */
export function isFieldOf(eventType: EventType, field: string): boolean {
  const { id, members } = EVENT_KINDS[eventType]
  const fields: readonly string[] = [
    'event_type',
    'id.workspace_id',
    ...id.map((member) => `id.${member}`),
    ...members,
    'actor.type',
    'actor.id',
  ]
  return fields.includes(field)
}

const valueAt = (event: ChangeEventBody, field: string): unknown =>
  field.split('.').reduce<unknown>((found, name) => memberOf(found, name), event)

const memberOf = (found: unknown, name: string): unknown =>
  typeof found === 'object' && found !== null && Object.hasOwn(found, name)
    ? (found as Record<string, unknown>)[name] // an object with this member, checked above
    : undefined

// Adds the changed values to the events of subscriptions that include them.
// See docs/reference/webhooks-and-events.md (Values in events); docs/decisions/webhooks.md.

/** The event types that a subscription can include values for. */
export const TYPES_WITH_VALUES: ReadonlySet<EventType> = new Set(['record.updated', 'list-entry.updated'])

export const includesValues = ({ include }: Subscription): boolean => include?.includes('values') === true

/** Adds two members to the JSON text of an event. They are null when the event has no values. */
export const withValues = (event: string, values: ChangedValues | undefined): string =>
  `${event.slice(0, -1)},"new_values":${values?.new ?? null},"previous_values":${values?.previous ?? null}}`
