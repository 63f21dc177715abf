/** The views that a member pinned to the navigation of the console. Only the member sees the pins. See docs/reference/views.md (Pins). */

import { type Expression, sql as expression } from 'kysely'
import { equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import { Elysia } from 'elysia'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { type ViewPin, ViewPinsAnswer } from './schemas'
import { Nothing } from '#api/console/schemas'
import { listAccess } from '#access/list-access/list-access'
import { isUuid } from '#vocabulary/uuids'
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
      ...guard.member(PINS, { response: ViewPinsAnswer }, async ({ member }) => ({
        data: await listPins(appContext, member),
      })),
    )
    .put(
      ...guard.member(`${PINS}/:view_id`, { response: Nothing }, async ({ member, params }) => {
        await pinView(appContext, member, params.view_id)
        return {}
      }),
    )
    .delete(
      ...guard.member(`${PINS}/:view_id`, { response: Nothing }, async ({ member, params }) => {
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

/** The first part of the path of an entity type. */
const PATHS = { object: 'objects', list: 'lists', activity: 'activities' } as const satisfies Record<
  EntityType['kind'],
  ViewPin['entity_type']['kind']
>

const renderPin = ({ id, kind, api_slug }: EntityType, { view_id, title, type }: PinRow): ViewPin => ({
  view_id,
  title,
  type,
  entity_type: { kind: PATHS[kind], id, slug: api_slug },
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
const listPinRows = ({ control }: Database, { workspaceId, memberId }: PinOwner): Promise<PinRow[]> =>
  control
    .selectFrom('relata.view_pins as p')
    .innerJoin(
      'relata.views as v',
      onEqual({ 'v.workspace_id': 'p.workspace_id', 'v.entity_type_id': 'p.entity_type_id', 'v.id': 'p.view_id' }),
    )
    .select(['v.id as view_id', 'v.entity_type_id', 'v.member_id', 'v.title', 'v.type'])
    .select(({ ref }) => contentsColumn(ref('v.filter'), ref('v.sorts')))
    .where(equal({ 'p.workspace_id': workspaceId, 'p.member_id': memberId, 'v.is_archived': false }))
    .where(({ eb, or, ref }) => or([eb('v.member_id', 'is', null), eb('v.member_id', '=', ref('p.member_id'))]))
    .orderBy('p.created_at')
    .orderBy('p.view_id')
    .$castTo<PinRow>()
    .execute()

const contentsColumn = (filter: Expression<string>, sorts: Expression<string>) =>
  expression<string>`jsonb_build_array(${filter}, ${sorts})::text`.as('contents')

async function countPins({ control }: Database, { workspaceId, memberId }: PinOwner): Promise<number> {
  const { count } = await control
    .selectFrom('relata.view_pins')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the entity type of a view that the member may see as far as the view decides it. */
const findViewType = (
  { control }: Database,
  { workspaceId, memberId }: PinOwner,
  viewId: string,
): Promise<Pick<PinRow, 'entity_type_id' | 'member_id' | 'contents'> | undefined> =>
  control
    .selectFrom('relata.views')
    .select(['entity_type_id', 'member_id'])
    .select(({ ref }) => contentsColumn(ref('filter'), ref('sorts')))
    .where(equal({ workspace_id: workspaceId, id: viewId }))
    .where(({ eb, or }) => or([eb('member_id', 'is', null), eb('member_id', '=', memberId)]))
    .executeTakeFirst()

/** A pinned view stays as it is. */
async function insertPin(
  { control }: Database,
  { workspaceId, memberId }: PinOwner,
  viewId: string,
  createdAt: string,
): Promise<void> {
  await control
    .insertInto('relata.view_pins')
    .columns(['workspace_id', 'member_id', 'entity_type_id', 'view_id', 'created_at'])
    .expression((query) =>
      query
        .selectFrom('relata.views')
        .select(['workspace_id', expression<string>`${memberId}::uuid`.as('member_id'), 'entity_type_id', 'id'])
        .select(expression<string>`${createdAt}::timestamptz`.as('created_at'))
        .where(equal({ workspace_id: workspaceId, id: viewId })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function deletePin({ control }: Database, { workspaceId, memberId }: PinOwner, viewId: string): Promise<void> {
  await control
    .deleteFrom('relata.view_pins')
    .where(equal({ workspace_id: workspaceId, member_id: memberId, view_id: viewId }))
    .execute()
}
