/** The rows of views. */

import { sql as expression } from 'kysely'
import { controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import type { RequestContext } from '#context'
import { namesHidden } from '#engine/data-model/access/hidden'
import type { EntityType } from '#engine/data-model/model'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import { timestampFromPostgres } from '#base/timing/clock'
import type { ViewOutput } from './schemas'
import { viewOwner } from '#engine/data-model/viewer'

/** A stored view. */
export type ViewRow = Pick<
  ViewOutput,
  'title' | 'filter' | 'sorts' | 'visible_attributes' | 'board' | 'group_by' | 'is_default' | 'is_archived'
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
  const found: ViewRow[] = []
  for (let last = after; found.length < limit;) {
    const rows = await readableViews(context, entityType)
      .$if(!showArchived, (query) => query.where('is_archived', '=', false))
      .$if(last !== null, (query) => query.where('id', '>', last))
      .orderBy('id')
      .limit(limit)
      .execute()
    found.push(...(await visibleViews(context, rows.map(fromJson))))
    if (rows.length < limit) break
    last = rows.at(-1)?.id ?? null
  }
  return found.slice(0, limit)
}

/** Shared views, and personal ones of the caller. */
const readableViews = (context: RequestContext, entityType: EntityType) =>
  controlQueriesIn(context.db.sql)
    .selectFrom('relata.views')
    .selectAll()
    .where(equal({ workspace_id: context.model.workspace.id, entity_type_id: entityType.id }))
    .where(({ eb, or }) => or([eb('member_id', 'is', null), eb('member_id', '=', viewOwner(context))]))
    .$castTo<JsonRow>()

export async function findViewRow(
  context: RequestContext,
  entityType: EntityType,
  id: string,
): Promise<ViewRow | undefined> {
  const row = await readableViews(context, entityType).where('id', '=', id).executeTakeFirst()
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
  const { id, created_at } = view
  const { title, type, is_archived, member_id, filter, sorts, visible_attributes, board, group_by, is_default } =
    toColumns(view)
  const { numInsertedOrUpdatedRows } = await controlQueriesIn(db.sql)
    .insertInto('relata.views')
    .columns([
      'workspace_id',
      'entity_type_id',
      'id',
      'title',
      'type',
      'filter',
      'sorts',
      'visible_attributes',
      'board',
      'group_by',
      'is_default',
      'is_archived',
      'created_at',
      'member_id',
    ])
    .expression((query) =>
      query
        .selectFrom('relata.entity_types')
        .select(({ val }) => [
          'workspace_id',
          'id as entity_type_id',
          expression<string>`${id}::uuid`.as('id'),
          val(title).as('title'),
          val(type).as('type'),
          filter.as('filter'),
          sorts.as('sorts'),
          expression<string | null>`${visible_attributes}`.as('visible_attributes'),
          expression<string | null>`${board}`.as('board'),
          expression<string | null>`${group_by}::text`.as('group_by'),
          expression<boolean>`${is_default}::boolean`.as('is_default'),
          expression<boolean>`${is_archived}::boolean`.as('is_archived'),
          expression<string>`${created_at}::timestamptz`.as('created_at'),
          expression<string | null>`${member_id}::uuid`.as('member_id'),
        ])
        .where(equal({ workspace_id: model.workspace.id, id: entityType.id })),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Returns false when the view does not exist any more. */
export async function updateViewRow(
  { db, model }: RequestContext,
  entityType: EntityType,
  view: ViewRow,
): Promise<boolean> {
  const { numUpdatedRows } = await controlQueriesIn(db.sql)
    .updateTable('relata.views')
    .set(toColumns(view))
    .where(equal({ workspace_id: model.workspace.id, entity_type_id: entityType.id, id: view.id }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes every other view of the entity type none that opens for everyone. */
export const clearOtherDefaults = (
  { db, model }: RequestContext,
  entityType: EntityType,
  id: string,
): Promise<unknown> =>
  controlQueriesIn(db.sql)
    .updateTable('relata.views')
    .set({ is_default: false })
    .where(equal({ workspace_id: model.workspace.id, entity_type_id: entityType.id, is_default: true }))
    .where('id', '<>', id)
    .execute()

/** Returns false when the view does not exist. */
export async function deleteViewRow(
  { db, model }: RequestContext,
  entityType: EntityType,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(db.sql)
    .deleteFrom('relata.views')
    .where(equal({ workspace_id: model.workspace.id, entity_type_id: entityType.id, id }))
    .executeTakeFirst()
  return numDeletedRows > 0n
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

const toColumns = ({ filter, sorts, visible_attributes, board, ...view }: ViewRow) => ({
  title: view.title,
  type: view.type,
  group_by: view.group_by,
  is_default: view.is_default,
  is_archived: view.is_archived,
  member_id: view.member_id,
  filter: jsonb(filter),
  sorts: jsonb(sorts),
  visible_attributes: visible_attributes && jsonb(visible_attributes),
  board: board && jsonb(board),
})
