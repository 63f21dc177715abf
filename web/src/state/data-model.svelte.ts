/** The objects, lists and activities of the workspace, which the navigation, the palette and selects show. */

import type { ListOutput } from '#api/resources/lists/schemas'
import type { ObjectOutput } from '#api/resources/objects/schemas'
import { readObjectAccess } from '../api/access/object-access'
import { type Activity, listActivities } from '../api/data-model/activities'
import type { Attribute, EntityTypePath, RecordTypePath } from '../api/data-model/attributes'
import { listLists } from '../api/data-model/lists'
import { listObjects } from '../api/data-model/objects'
import { RemoteData } from './reads/remote-data.svelte'

export type WorkspaceObject = ObjectOutput
export type List = ListOutput
export type RecordType = WorkspaceObject | Activity

export interface DataModel {
  readonly objects: readonly WorkspaceObject[]
  readonly lists: readonly List[]
  readonly activities: readonly Activity[]
  /** The ids of objects whose records the member may not change. */
  readonly readOnlyIds: ReadonlySet<string>
  /** The ids of objects and activities that had no record when the data model was read. */
  readonly neverUsedIds: ReadonlySet<string>
}

async function readDataModel(signal: AbortSignal): Promise<DataModel> {
  const [objects, lists, activities, access] = await Promise.all([
    listObjects(signal),
    listLists(signal),
    listActivities(signal),
    readObjectAccess(signal),
  ])
  const readOnly = access.data.filter((one) => one.access === 'read-only').map(({ object_id }) => object_id)
  return { objects, lists, activities, readOnlyIds: new Set(readOnly), neverUsedIds: new Set(access.never_used) }
}

let current: RemoteData<DataModel> | undefined

/** Loads the data model. The shell calls it when a workspace is chosen; screens use `getDataModel`. */
export function openDataModel(): RemoteData<DataModel> {
  current = new RemoteData(readDataModel)
  return current
}

/** The data model of the current workspace. Only screens inside the shell have one. */
export function getDataModel(): RemoteData<DataModel> {
  if (current === undefined) throw new Error('There is no workspace open.')
  return current
}

/** Whether the slug of a reference names an activity. */
export const isActivity = (slug: string): boolean =>
  current?.data?.activities.some(({ api_slug }) => api_slug === slug) ?? false

/** The objects or the activities. */
export const recordTypesOf = (model: DataModel | undefined, kind: RecordTypePath['kind']): readonly RecordType[] =>
  model?.[kind] ?? []

export const allRecordTypes = (model: DataModel | undefined): readonly RecordType[] => [
  ...(model?.objects ?? []),
  ...(model?.activities ?? []),
]

/** Undefined while the data model is loading, and for an object or activity that was deleted. */
export const recordTypeOf = (model: DataModel | undefined, { kind, slug }: RecordTypePath): RecordType | undefined =>
  recordTypesOf(model, kind).find(({ api_slug }) => api_slug === slug)

/** The name of one record of an object or activity. */
export const nounOf = (slug: string): string =>
  allRecordTypes(current?.data).find(({ api_slug }) => api_slug === slug)?.singular_noun ?? slug

/** The name of all records of an object or activity. */
export const pluralNounOf = (slug: string): string =>
  allRecordTypes(current?.data).find(({ api_slug }) => api_slug === slug)?.plural_noun ?? slug

export const kindOf = (type: RecordType): RecordTypePath['kind'] => ('extends' in type ? 'activities' : 'objects')

/** The path of its table. */
export const recordTypePath = (type: RecordType): string => `/${kindOf(type)}/${type.api_slug}`

/** Those of them to whose records an attribute may refer. One that allows records of all objects allows none of activities. */
export function referencedTypes({ config }: Attribute, types: readonly RecordType[]): readonly RecordType[] {
  const allowed = config.record_reference.allowed_object_ids
  return types.filter((type) => allowed?.includes(recordTypeId(type)) ?? kindOf(type) === 'objects')
}

export const recordTypeId = ({ id }: Pick<RecordType, 'id'>): string =>
  'object_id' in id ? id.object_id : id.activity_id

/** The id of an object, a list or an activity. Undefined while the data model is loading, and for one that was deleted. */
export function entityTypeIdOf(model: DataModel | undefined, { kind, slug }: EntityTypePath): string | undefined {
  if (kind === 'lists') return model?.lists.find(({ api_slug }) => api_slug === slug)?.id.list_id
  const found = recordTypeOf(model, { kind, slug })
  return found && recordTypeId(found)
}
