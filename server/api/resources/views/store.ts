/** The rows of views. */

import type { RequestContext } from '#context'
import { namesHidden } from '#engine/data-model/access/hidden'
import type { EntityType } from '#engine/data-model/model'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import { timestampFromPostgres } from '#base/timing/clock'
import type { ViewOutput } from './schemas'
import { viewOwner } from '#engine/data-model/access/view-owner'

/** A stored view. */
export type ViewRow = Pick<
  ViewOutput,
  'title' | 'filter' | 'sorts' | 'visible_attributes' | 'board' | 'is_archived'
> & {
  readonly id: string
  readonly type: ViewOutput['type']
  readonly created_at: string
  /** The member whose personal view it is; null for a shared one. */
  readonly member_id: string | null
}

export interface Slice {
  readonly showArchived: boolean
  readonly limit: number
  /** The id of the last view of the previous page. */
  readonly after: string | null
}

/** In the order of their ids, which is the order of creation. */
export async function listViewRows(
  context: RequestContext,
  entityType: EntityType,
  { showArchived, limit, after }: Slice,
): Promise<ViewRow[]> {
  const { db, model } = context
  const found: ViewRow[] = []
  for (let last = after; found.length < limit;) {
    const rows = await db.sql<JsonRow[]>`
      select * from relata.views
      where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id}
        and (member_id is null or member_id = ${viewOwner(context)}) and (${showArchived} or not is_archived) and (${last}::uuid is null or id > ${last}::uuid)
      order by id limit ${limit}`
    found.push(...(await visibleViews(context, rows.map(fromJson))))
    if (rows.length < limit) break
    last = rows.at(-1)?.id ?? null
  }
  return found.slice(0, limit)
}

export async function findViewRow(
  context: RequestContext,
  entityType: EntityType,
  id: string,
): Promise<ViewRow | undefined> {
  const { db, model } = context
  const [row] = await db.sql<JsonRow[]>`
    select * from relata.views
    where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id} and id = ${id}
      and (member_id is null or member_id = ${viewOwner(context)})`
  const [view] = row ? await visibleViews(context, [fromJson(row)]) : []
  return view
}

/**
 * A member does not see views whose filter or order names something hidden. A personal view may name any record, because the
 * member wrote it.
 */
async function visibleViews(context: RequestContext, views: readonly ViewRow[]): Promise<ViewRow[]> {
  const textOf = ({ filter, sorts }: ViewRow) => JSON.stringify([filter, sorts])
  const isShared = ({ member_id }: ViewRow) => member_id === null
  const hidden = await findHiddenTexts(context, views.filter(isShared).map(textOf))
  return views.filter((view) =>
    isShared(view) ? !hidden.has(textOf(view)) : !namesHidden(context.model, textOf(view)),
  )
}

/** Returns false when the entity type does not exist any more. */
export async function insertViewRow(
  { db, model }: RequestContext,
  entityType: EntityType,
  view: ViewRow,
): Promise<boolean> {
  const { id, title, type, is_archived, created_at, member_id } = view
  const { filter, sorts, visible, board } = toJson(view)
  const rows = await db.sql`
    insert into relata.views
      (workspace_id, entity_type_id, id, title, type, filter, sorts, visible_attributes, board, is_archived, created_at, member_id)
    select workspace_id, id, ${id}, ${title}, ${type}, ${filter}::text::jsonb, ${sorts}::text::jsonb,
      ${visible}::text::jsonb, ${board}::text::jsonb, ${is_archived}, ${created_at}, ${member_id}::uuid
    from relata.entity_types where workspace_id = ${model.workspace.id} and id = ${entityType.id}
    returning 1`
  return rows.length > 0
}

/** Returns false when the view does not exist any more. */
export async function updateViewRow(
  { db, model }: RequestContext,
  entityType: EntityType,
  view: ViewRow,
): Promise<boolean> {
  const { id, title, type, is_archived, member_id } = view
  const { filter, sorts, visible, board } = toJson(view)
  const rows = await db.sql`
    update relata.views set title = ${title}, type = ${type}, filter = ${filter}::text::jsonb,
      sorts = ${sorts}::text::jsonb, visible_attributes = ${visible}::text::jsonb, board = ${board}::text::jsonb,
      is_archived = ${is_archived}, member_id = ${member_id}::uuid
    where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id} and id = ${id}
    returning 1`
  return rows.length > 0
}

/** Returns false when the view does not exist. */
export async function deleteViewRow(
  { db, model }: RequestContext,
  entityType: EntityType,
  id: string,
): Promise<boolean> {
  const rows = await db.sql`
    delete from relata.views
    where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id} and id = ${id} returning 1`
  return rows.length > 0
}

type JsonRow = Omit<ViewRow, 'filter' | 'sorts' | 'visible_attributes' | 'board'> & {
  readonly filter: string
  readonly sorts: string
  readonly visible_attributes: string | null
  readonly board: string | null
}

const fromJson = (row: JsonRow): ViewRow => ({
  ...row,
  created_at: timestampFromPostgres(row.created_at),
  filter: JSON.parse(row.filter),
  sorts: JSON.parse(row.sorts),
  visible_attributes: row.visible_attributes === null ? null : JSON.parse(row.visible_attributes),
  board: row.board === null ? null : JSON.parse(row.board),
})

const toJson = ({ filter, sorts, visible_attributes, board }: ViewRow) => ({
  filter: JSON.stringify(filter),
  sorts: JSON.stringify(sorts),
  visible: visible_attributes === null ? null : JSON.stringify(visible_attributes),
  board: board === null ? null : JSON.stringify(board),
})
