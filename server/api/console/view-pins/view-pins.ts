/** The views that a member pinned to the navigation of the console. Only the member sees the pins. See docs/reference/views.md (Pins). */

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
import { getMemberModel } from '#api/console/member-model'
import type { ViewPin } from './schemas'
import { countPins, deletePin, findViewType, insertPin, listPinRows, type PinRow } from './store'

const MAX_PINS = 50

/** In the order of pinning, without views that the member may not see any more. */
export async function listPins(appContext: AppContext, member: ConsoleMember): Promise<ViewPin[]> {
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
export async function pinView(appContext: AppContext, member: ConsoleMember, viewId: string): Promise<void> {
  const { db, now } = appContext
  const row = isUuid(viewId) ? await findViewType(db, member, viewId.toLowerCase()) : undefined
  const model = await getMemberModel(appContext, member)
  if (!row || !findVisible(model, member, row)) throw viewNotFound(viewId)
  if ((await hiddenAmong({ db, model }, [row])).size > 0) throw viewNotFound(viewId)
  if ((await countPins(db, member)) >= MAX_PINS) throw tooManyPins(MAX_PINS)
  await insertPin(db, member, viewId.toLowerCase(), timestampFromMicros(now()))
}

/** A view that is not pinned stays so. */
export async function unpinView({ db }: AppContext, member: ConsoleMember, viewId: string): Promise<void> {
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
