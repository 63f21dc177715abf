/** The rows of pins. */

import type { Database } from '#db/connect'
import type { ConsoleMember } from '#api/http/guard/session-guard'

type PinOwner = Pick<ConsoleMember, 'workspaceId' | 'memberId'>

export interface PinRow {
  readonly view_id: string
  readonly entity_type_id: string
  /** The member of a personal view. */
  readonly member_id: string | null
  readonly title: string
  readonly type: 'table' | 'board'
  /** JSON: the filter and the sorts. */
  readonly contents: string
}

/** In the order of pinning, without archived views and personal ones of others. */
export const listPinRows = ({ sql }: Database, { workspaceId, memberId }: PinOwner): Promise<PinRow[]> =>
  sql<PinRow[]>`
    select v.id as view_id, v.entity_type_id, v.member_id, v.title, v.type, jsonb_build_array(v.filter, v.sorts)::text as contents
    from relata.view_pins p
    join relata.views v on v.workspace_id = p.workspace_id and v.entity_type_id = p.entity_type_id and v.id = p.view_id
    where p.workspace_id = ${workspaceId} and p.member_id = ${memberId} and not v.is_archived
      and (v.member_id is null or v.member_id = p.member_id)
    order by p.created_at, p.view_id`

export async function countPins({ sql }: Database, { workspaceId, memberId }: PinOwner): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from relata.view_pins
    where workspace_id = ${workspaceId} and member_id = ${memberId}`
  return row?.count ?? 0
}

/** Returns the entity type of a view that the member may see as far as the view decides it. */
export async function findViewType(
  { sql }: Database,
  { workspaceId, memberId }: PinOwner,
  viewId: string,
): Promise<Pick<PinRow, 'entity_type_id' | 'member_id' | 'contents'> | undefined> {
  const [row] = await sql<Pick<PinRow, 'entity_type_id' | 'member_id' | 'contents'>[]>`
    select entity_type_id, member_id, jsonb_build_array(filter, sorts)::text as contents from relata.views
    where workspace_id = ${workspaceId} and id = ${viewId} and (member_id is null or member_id = ${memberId})`
  return row
}

/** A pinned view stays as it is. */
export async function insertPin(
  { sql }: Database,
  { workspaceId, memberId }: PinOwner,
  viewId: string,
  createdAt: string,
): Promise<void> {
  await sql`
    insert into relata.view_pins (workspace_id, member_id, entity_type_id, view_id, created_at)
    select workspace_id, ${memberId}, entity_type_id, id, ${createdAt} from relata.views
    where workspace_id = ${workspaceId} and id = ${viewId}
    on conflict do nothing`
}

export async function deletePin({ sql }: Database, { workspaceId, memberId }: PinOwner, viewId: string): Promise<void> {
  await sql`
    delete from relata.view_pins
    where workspace_id = ${workspaceId} and member_id = ${memberId} and view_id = ${viewId}`
}
