/** The views that a member pinned to the navigation of the console. Only the member sees the pins. See docs/reference/views.md (Pins). */

import { Elysia } from 'elysia'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { type ViewPin, ViewPinsAnswer } from './schemas'
import { Nothing } from '#api/console/schemas'
import { listAccess } from '#access/list-access/list-access'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { AppContext, RequestContext } from '#context'
import { isHidden, namesHidden } from '#engine/data-model/access/hidden'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { tooManyPins, viewNotFound } from '#base/errors/queries'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { scopesOfRole } from '#vocabulary/roles'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import { timestampFromMicros } from '#base/timing/clock'
import type { Database } from '#db/connect'

const PINS = '/console/api/workspaces/:workspace_id/view-pins'

export const viewPinRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-view-pins' })
    .get(
      PINS,
      ...guard.member({ response: ViewPinsAnswer }, async ({ member }) => ({
        data: await listPins(appContext, member),
      })),
    )
    .put(
      `${PINS}/:view_id`,
      ...guard.member({ response: Nothing }, async ({ member, params }) => {
        await pinView(appContext, member, params.view_id)
        return {}
      }),
    )
    .delete(
      `${PINS}/:view_id`,
      ...guard.member({ response: Nothing }, async ({ member, params }) => {
        await unpinView(appContext, member, params.view_id)
        return {}
      }),
    )

const MAX_PINS = 50

/** In the order of pinning, without views that the member may not see any more. */
async function listPins(appContext: AppContext, member: ConsoleMember): Promise<ViewPin[]> {
  const { db } = appContext
  const model = await getMemberModel(appContext, member)
  const rows = await listPinRows(db, member)
  const hidden = await hiddenAmong({ db, model }, rows)
  return rows.flatMap((row) => {
    const entityType = hidden.has(row) ? undefined : findVisible(model, member, row)
    return entityType ? [renderPin(entityType, row)] : []
  })
}

type Contents = Pick<PinRow, 'contents' | 'member_id'>

/** The views that name something hidden. See `visibleViews` of the views. */
async function hiddenAmong<Row extends Contents>(
  context: Pick<RequestContext, 'db' | 'model'>,
  rows: readonly Row[],
): Promise<ReadonlySet<Row>> {
  const shared = rows.filter(({ member_id }) => member_id === null)
  const hidden = await findHiddenTexts(context, shared.map(contentsOf))
  const isHiddenRow = (row: Row) =>
    row.member_id === null ? hidden.has(contentsOf(row)) : namesHidden(context.model, contentsOf(row))
  return new Set(rows.filter(isHiddenRow))
}

/** The filter and the sorts, as compact JSON. PostgreSQL renders JSON with spaces. */
const contentsOf = ({ contents }: Contents): string => JSON.stringify(JSON.parse(contents))

/** Throws 404 for a view that the member may not see, and 400 for too many pins. */
async function pinView(appContext: AppContext, member: ConsoleMember, viewId: string): Promise<void> {
  const { db, now } = appContext
  const row = isUuid(viewId) ? await findViewType(db, member, viewId.toLowerCase()) : undefined
  const model = await getMemberModel(appContext, member)
  if (!row || !findVisible(model, member, row)) throw viewNotFound(viewId)
  if ((await hiddenAmong({ db, model }, [row])).size > 0) throw viewNotFound(viewId)
  if ((await countPins(db, member)) >= MAX_PINS) throw tooManyPins(MAX_PINS)
  await insertPin(db, member, viewId.toLowerCase(), timestampFromMicros(now()))
}

/** A view that is not pinned stays so. */
async function unpinView({ db }: AppContext, member: ConsoleMember, viewId: string): Promise<void> {
  if (isUuid(viewId)) await deletePin(db, member, viewId.toLowerCase())
}

/** The entity type of a view, if the member may see both. */
function findVisible(
  model: DataModel,
  member: ConsoleMember,
  { entity_type_id }: Pick<PinRow, 'entity_type_id'>,
): EntityType | undefined {
  const entityType = model.entityTypesById.get(entity_type_id)
  if (!entityType || isHidden(model, entityType)) return undefined
  const { actor, memberId } = member
  const caller = { model, actor, memberId, scopes: scopesOfRole(member) }
  return entityType.kind === 'list' && listAccess(caller, entityType) === undefined ? undefined : entityType
}

const renderPin = ({ id, kind, api_slug }: EntityType, { view_id, title, type }: PinRow): ViewPin => ({
  view_id,
  title,
  type,
  entity_type: { kind: kind === 'object' ? 'objects' : 'lists', id, slug: api_slug },
})

/** The rows of pins. */
type PinOwner = Pick<ConsoleMember, 'workspaceId' | 'memberId'>

interface PinRow {
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
const listPinRows = ({ sql }: Database, { workspaceId, memberId }: PinOwner): Promise<PinRow[]> =>
  sql<PinRow[]>`
    select v.id as view_id, v.entity_type_id, v.member_id, v.title, v.type, jsonb_build_array(v.filter, v.sorts)::text as contents
    from relata.view_pins p
    join relata.views v on v.workspace_id = p.workspace_id and v.entity_type_id = p.entity_type_id and v.id = p.view_id
    where p.workspace_id = ${workspaceId} and p.member_id = ${memberId} and not v.is_archived
      and (v.member_id is null or v.member_id = p.member_id)
    order by p.created_at, p.view_id`

async function countPins({ sql }: Database, { workspaceId, memberId }: PinOwner): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from relata.view_pins
    where workspace_id = ${workspaceId} and member_id = ${memberId}`
  return row?.count ?? 0
}

/** Returns the entity type of a view that the member may see as far as the view decides it. */
async function findViewType(
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
async function insertPin(
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

async function deletePin({ sql }: Database, { workspaceId, memberId }: PinOwner, viewId: string): Promise<void> {
  await sql`
    delete from relata.view_pins
    where workspace_id = ${workspaceId} and member_id = ${memberId} and view_id = ${viewId}`
}
