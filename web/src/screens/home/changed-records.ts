/** What others changed on the records that the member owns or follows. */

import type { Attribute, RecordTypePath } from '../../api/data-model/attributes'
import { listActivity, type ActivityItem } from '../../api/records/activity'
import { type Entity, type EntityQuery, queryEntities } from '../../api/records/entities'
import { listFollowedRecords } from '../../api/records/followed-records'
import { loadAttributes } from '../../state/attributes.svelte'
import type { WorkspaceObject } from '../../state/data-model.svelte'
import { nameIn, nameSlugs } from '../../state/record-label'
import { valueTypeOf } from '../../values/registry'

export interface ChangedRecord {
  readonly id: string
  readonly slug: string
  readonly name: string | undefined
  /** The latest thing that somebody else did. */
  readonly item: ActivityItem
}

/** Records of each object, by their last change, and items of each record. */
const MAX_RECORDS = 8
const MAX_ITEMS = 10

/** The latest changes first. */
export async function listChangedRecords(
  objects: readonly WorkspaceObject[],
  memberId: string,
  signal: AbortSignal,
): Promise<ChangedRecord[]> {
  const followed = Map.groupBy(await listFollowedRecords(signal), ({ object_id }) => object_id)
  const found = await Promise.all(
    objects.flatMap(({ id, api_slug }) => {
      if (api_slug === null) return []
      const type: RecordTypePath = { kind: 'objects', slug: api_slug }
      const ids = followed.get(id.object_id)?.map(({ record_id }) => record_id) ?? []
      return [listOwned(type, signal), ...(ids.length > 0 ? [listFollowed(type, ids, signal)] : [])]
    }),
  )
  const distinct = new Map(found.flat().map((record) => [record.entity.id, record]))
  const latest = [...distinct.values()].toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, MAX_RECORDS)
  const changed = await Promise.all(latest.map((record) => withLatestItem(record, memberId, signal)))
  return changed.filter((one) => one !== undefined).toSorted((a, b) => (a.item.at < b.item.at ? 1 : -1))
}

interface FoundRecord {
  readonly entity: Entity
  readonly slug: string
  readonly name: string | undefined
  readonly updatedAt: string
}

/** The attribute with the owner of a record. */
const ownerOf = (attributes: readonly Attribute[]): Attribute | undefined => {
  const members = attributes.filter(
    (one) => !one.is_archived && one.is_writable && valueTypeOf(one).defaultEditor === 'member',
  )
  return members.find(({ api_slug }) => api_slug === 'owner') ?? members[0]
}

async function listOwned(type: RecordTypePath, signal: AbortSignal): Promise<FoundRecord[]> {
  const attributes = await loadAttributes(type)
  const owner = ownerOf(attributes)
  return owner === undefined ? [] : listLatest(type, { [owner.api_slug]: { $relative: 'me' } }, attributes, signal)
}

const listFollowed = async (
  type: RecordTypePath,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<FoundRecord[]> => listLatest(type, { record_id: { $in: ids } }, await loadAttributes(type), signal)

/** The matching records that changed last. */
async function listLatest(
  type: RecordTypePath,
  filter: NonNullable<EntityQuery['filter']>,
  attributes: readonly Attribute[],
  signal: AbortSignal,
): Promise<FoundRecord[]> {
  const names = nameSlugs(type, attributes)
  const query = {
    filter,
    sorts: [{ attribute: 'updated_at', direction: 'desc' as const }],
    fields: [...names, 'updated_at'],
    limit: MAX_RECORDS,
  }
  const { entities } = await queryEntities(type, query, signal)
  return entities.map((entity) => ({
    entity,
    slug: type.slug,
    name: nameIn(type, entity.values, names),
    updatedAt: String(entity.values.updated_at?.[0]?.value ?? entity.created_at),
  }))
}

/** Undefined for a record on which only the member did something lately. */
async function withLatestItem(
  { entity, slug, name }: FoundRecord,
  memberId: string,
  signal: AbortSignal,
): Promise<ChangedRecord | undefined> {
  const { data } = await listActivity(slug, entity.id, { types: [], limit: MAX_ITEMS, cursor: undefined }, signal)
  const now = new Date().toISOString()
  const item = data.find(({ at, actor, type }) => at <= now && actor.id !== memberId && type !== 'record.created')
  return item && { id: entity.id, slug, name, item }
}
