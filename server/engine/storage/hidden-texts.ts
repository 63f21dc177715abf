/**
 * Finds stored texts that name something that the caller does not see. Filters of views and webhooks name objects, attributes and
 * lists, which the data model knows, and records, entries, notes and threads, which only tables know. See docs/access.md.
 */

import { isUndefinedTable } from '#base/errors/database'
import { renderArray } from '#db/connect'
import type { RequestContext } from '#context'
import { hiddenNames, namesHiddenFromMember } from '#engine/data-model/access/hidden'
import { findObject } from '#engine/data-model/find'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel, EntityType, ListType } from '#engine/data-model/model'

/** Compact JSON, as `JSON.stringify` makes it. */
type JsonText = string

interface TextSearch {
  /** The lists to which the caller has no access. */
  readonly unseenLists?: readonly ListType[]
  /** Whether a text may name what is deleted. */
  readonly mayNameDeleted?: boolean
}

/** Returns those texts that name something hidden. No statement runs for a caller who sees everything. */
export async function findHiddenTexts(
  { db, model }: Pick<RequestContext, 'db' | 'model'>,
  texts: readonly JsonText[],
  { unseenLists = [], mayNameDeleted = false }: TextSearch = {},
): Promise<ReadonlySet<JsonText>> {
  const names = mayNameDeleted ? namesHiddenFromMember(model) : hiddenNames(model)
  const isNamed = ({ id }: EntityType) => names.includes(id)
  const hidden = [...new Set([...model.entityTypes.filter(isNamed), ...unseenLists])]
  if (hidden.length === 0 || texts.length === 0) return new Set()
  const allNames = [...names, ...hidden.flatMap(({ id, attributes }) => [id, ...attributes.map((each) => each.id)])]
  const isNaming = (text: JsonText) => allNames.some((name) => text.includes(name)) || namesHiddenTarget(model, text)
  const named = new Set(texts.filter(isNaming))
  const idsByText = new Map(texts.filter((text) => !named.has(text)).map((text) => [text, idsIn(model, text)]))
  const ids = [...new Set([...idsByText.values()].flat())]
  if (ids.length === 0) return named
  const [entities, attached] = await Promise.all([
    findEntities(db, model, hidden, ids),
    findAttached(db, model, hidden, ids),
  ])
  const hiddenIds = new Set([...entities, ...attached])
  return new Set([
    ...named,
    ...[...idsByText].flatMap(([text, found]) => (found.some((id) => hiddenIds.has(id)) ? [text] : [])),
  ])
}

/** Conditions of filters, such as `"target_object":{"$eq":"people"}`, name an object by its slug or an alias of it. */
function namesHiddenTarget(model: DataModel, text: JsonText): boolean {
  const slugs = [...text.matchAll(TARGET)].map(([, slug = '']) => slug)
  return slugs.some(
    (slug) => findObject(model, slug) === undefined && findObject(model.loaded ?? model, slug) !== undefined,
  )
}

const TARGET = /"target_object":(?:\{"\$eq":)?"([^"]*)"/g

/** The ids in a text that are not those of parts of the data model. */
const idsIn = ({ entityTypesById, attributesById }: DataModel, text: JsonText): string[] =>
  (text.toLowerCase().match(UUID) ?? []).filter((id) => !entityTypesById.has(id) && !attributesById.has(id))

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The ids of records, deleted ones as well, and of entries. The model of the request may be older than a deletion of an object. */
async function findEntities(
  db: RequestContext['db'],
  model: DataModel,
  hidden: readonly EntityType[],
  ids: readonly string[],
): Promise<string[]> {
  try {
    return await selectEntities(db, model, hidden, ids)
  } catch (error) {
    if (!isUndefinedTable(error)) throw error
    const { entityTypesById } = await loadDataModel(db, model.workspace.id)
    const remaining = hidden.filter(({ id }) => entityTypesById.has(id))
    return selectEntities(db, model, remaining, ids)
  }
}

async function selectEntities(
  { sql }: RequestContext['db'],
  { schema }: DataModel,
  hidden: readonly EntityType[],
  ids: readonly string[],
): Promise<string[]> {
  const selects = hidden.map(({ table }) => `select id from ${table} where id = any($1::uuid[])`)
  const trashed = `select id from ${schema}.trash where object = any($2::int[]) and id = any($1::uuid[])`
  const rows = await sql.unsafe<{ id: string }[]>([...selects, trashed].join(' union all '), [
    renderArray(ids),
    renderArray(hidden.map(({ number }) => number)),
  ])
  return rows.map(({ id }) => id)
}

/** The ids of notes, threads and comments. */
async function findAttached(
  { sql }: RequestContext['db'],
  { workspace }: DataModel,
  hidden: readonly EntityType[],
  ids: readonly string[],
): Promise<string[]> {
  const within = hidden.map(({ id }) => id)
  const rows = await sql<{ id: string }[]>`
    select id from relata.notes
    where workspace_id = ${workspace.id} and id = any(${[...ids]}::uuid[]) and parent_object_id = any(${within}::uuid[])
    union all
    select unnest(array[t.id, c.id]) from relata.threads t
    join relata.comments c on c.workspace_id = t.workspace_id and c.thread_id = t.id
    where t.workspace_id = ${workspace.id} and (t.id = any(${[...ids]}::uuid[]) or c.id = any(${[...ids]}::uuid[]))
      and (t.object_id = any(${within}::uuid[]) or t.list_id = any(${within}::uuid[]))`
  return rows.map(({ id }) => id)
}
