/** What a deletion in the settings deletes, in numbers. */

import { type Attribute, type EntityTypePath, listAttributes } from '../../../api/data-model/attributes'
import { listViews } from '../../../api/data-model/views'
import { type Filter, queryEntities } from '../../../api/records/entities'
import { getDataModel } from '../../../state/data-model.svelte'
import { numberText } from '../../../values/formats'

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${numberText(count)} ${count === 1 ? one : many}`]

async function count(entityType: EntityTypePath, filter: Filter = {}): Promise<number> {
  const { total } = await queryEntities(entityType, { filter, fields: [], limit: 1, include_count: true })
  return total ?? 0
}

const customAttributes = async (entityType: EntityTypePath): Promise<number> =>
  (await listAttributes(entityType)).filter(({ is_system_attribute }) => !is_system_attribute).length

/** Lists that are not shared with the member cannot be counted. */
export async function lossesOfObject(slug: string): Promise<readonly string[]> {
  const object = { kind: 'objects', slug } as const
  const lists = getDataModel().data?.lists.filter(({ parent_object }) => parent_object.includes(slug)) ?? []
  const [records, attributes, views, ...entries] = await Promise.all([
    count(object),
    customAttributes(object),
    listViews(object),
    ...lists.map(({ api_slug }) => count({ kind: 'lists', slug: api_slug })),
  ])
  const inLists = entries.reduce((sum, one) => sum + one, 0)
  return [
    ...counted(records, 'record, with its values and history', 'records, with their values and history'),
    ...counted(attributes, 'attribute', 'attributes'),
    ...counted(lists.length, 'list', 'lists').map((text) =>
      [`${text} of these records`, ...counted(inLists, 'entry', 'entries')].join(' with '),
    ),
    ...counted(views.length, 'view', 'views'),
    "Lists of these records that aren't shared with you, and values elsewhere that refer to these records",
  ]
}

export async function lossesOfList(slug: string): Promise<readonly string[]> {
  const list = { kind: 'lists', slug } as const
  const [entries, attributes, views] = await Promise.all([count(list), customAttributes(list), listViews(list)])
  return [
    ...counted(entries, 'entry, with its values and comments', 'entries, with their values and comments'),
    ...counted(attributes, 'attribute', 'attributes'),
    ...counted(views.length, 'view', 'views'),
  ]
}

/** Filters cannot name archived attributes, so their values are not counted. */
export async function lossesOfAttribute(
  entityType: EntityTypePath,
  { api_slug, is_archived, relationship }: Attribute,
): Promise<readonly string[]> {
  const [one, many] = entityType.kind === 'objects' ? ['record', 'records'] : ['entry', 'entries']
  const values = is_archived
    ? ['Its values']
    : counted(await count(entityType, { [api_slug]: { $not_empty: true } }), one, many).map(
        (text) => `The values of ${text}, with their history`,
      )
  const otherSide = relationship ? [`The attribute ${relationship.title} of ${relationship.object_slug}`] : []
  return [...values, ...otherSide]
}
