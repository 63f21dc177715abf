/** What a deletion in the settings deletes, in numbers. */

import {
  type Attribute,
  type EntityTypePath,
  isSystemAttribute,
  listAttributes,
} from '../../../api/data-model/attributes'
import { listViews } from '../../../api/data-model/views'
import { countActivityDeletion } from '../../../api/data-model/activities'
import { countDeletion } from '../../../api/data-model/objects'
import type { ActivityDeletionCounts } from '#api/resources/activities/schemas'
import { type Filter, queryEntities } from '../../../api/records/entities'
import { numberText } from '../../../values/formats'

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${numberText(count)} ${count === 1 ? one : many}`]

async function count(entityType: EntityTypePath, filter: Filter = {}): Promise<number> {
  const { total } = await queryEntities(entityType, { filter, fields: [], limit: 1, include_count: true })
  return total ?? 0
}

const customAttributes = async (entityType: EntityTypePath): Promise<number> =>
  (await listAttributes(entityType)).filter((attribute) => !isSystemAttribute(attribute)).length

/** Also counts lists that are not shared with the member. */
export async function lossesOfObject(slug: string): Promise<readonly string[]> {
  const [lost, views] = await Promise.all([countDeletion(slug), listViews({ kind: 'objects', slug })])
  const attached = [
    ...counted(lost.notes, 'note', 'notes'),
    ...counted(lost.files, 'file', 'files'),
    ...counted(lost.threads, 'comment thread', 'comment threads'),
  ]
  const linked = [
    ...counted(lost.tasks, 'task', 'tasks'),
    ...counted(lost.meetings, 'meeting', 'meetings'),
    ...counted(lost.emails, 'email', 'emails'),
  ]
  return [
    ...counted(lost.records, ...RECORDS),
    ...counted(lost.attributes, 'attribute', 'attributes'),
    ...counted(lost.lists, 'list', 'lists').map((text) =>
      [`${text} of these records`, ...counted(lost.entries, 'entry', 'entries')].join(' with '),
    ),
    ...counted(views.length, 'view', 'views'),
    ...(attached.length > 0 ? [attached.join(', ')] : []),
    ...(linked.length > 0 ? [`The links of ${linked.join(', ')}`] : []),
    ...lossesElsewhere(lost),
  ]
}

/** Records in the trash are not counted. */
export async function lossesOfActivity(slug: string): Promise<readonly string[]> {
  const [lost, views] = await Promise.all([countActivityDeletion(slug), listViews({ kind: 'activities', slug })])
  return [
    ...counted(lost.records, ...RECORDS),
    ...counted(lost.attributes, 'custom attribute', 'custom attributes'),
    ...counted(views.length, 'view', 'views'),
    ...lossesElsewhere(lost),
  ]
}

const RECORDS = ['record, with its values and history', 'records, with their values and history'] as const

const lossesElsewhere = ({ attributes_of_others }: ActivityDeletionCounts): readonly string[] => [
  ...counted(attributes_of_others, 'attribute elsewhere', 'attributes elsewhere').map(
    (text) => `${text} that can refer only to these records`,
  ),
  'Values elsewhere that refer to these records',
]

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
  const [one, many] = entityType.kind === 'lists' ? ['entry', 'entries'] : ['record', 'records']
  const values = is_archived
    ? ['Its values']
    : counted(await count(entityType, { [api_slug]: { $not_empty: true } }), one, many).map(
        (text) => `The values of ${text}, with their history`,
      )
  const otherSide = relationship ? [`The attribute ${relationship.title} of ${relationship.object_slug}`] : []
  return [...values, ...otherSide]
}
