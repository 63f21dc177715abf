/** What look-ups and rollups can be made of. */

import type { RollupFunction } from '#vocabulary/data-model'
import { type Attribute, type EntityTypePath, listAttributes } from '../../../api/data-model/attributes'
import {
  allRecordTypes,
  type DataModel,
  isActivity,
  type RecordType,
  recordTypeId,
} from '../../../state/data-model.svelte'
import { valueTypeOf } from '../../../values/registry'

/** Whether a look-up can go through the reference: it has one value and one object. */
export const isLookedThrough = (attribute: Attribute): boolean =>
  !attribute.is_archived &&
  !attribute.is_multiselect &&
  valueTypeOf(attribute).isReference === true &&
  attribute.config.record_reference.allowed_object_ids?.length === 1

/** Whether look-ups and rollups can have the values of the attribute. */
export const isListed = (attribute: Attribute): boolean =>
  !attribute.is_archived &&
  valueTypeOf(attribute).isReference !== true &&
  !['record_id', 'entry_id', 'updated_at', 'updated_by'].includes(attribute.api_slug) &&
  attribute.computed?.is_stored !== false

export const ROLLUP_LABELS: Readonly<Record<RollupFunction, string>> = {
  count: 'Count',
  sum: 'Sum',
  min: 'Minimum',
  max: 'Maximum',
  average: 'Average',
  earliest: 'Earliest',
  latest: 'Latest',
  list: 'List',
}

const NUMBERS: ReadonlySet<Attribute['type']> = new Set(['number', 'currency', 'rating'])
const TIMES: ReadonlySet<Attribute['type']> = new Set(['date', 'timestamp', 'interaction'])

/** The field that stands for a value with several. */
const FIELDS: Readonly<Partial<Record<Attribute['type'], string>>> = {
  'personal-name': 'full_name',
  interaction: 'interacted_at',
  location: 'locality',
}

function isReadBy(name: RollupFunction, { type, is_multiselect }: Attribute): boolean {
  if (is_multiselect || type === 'actor-reference') return false
  if (name === 'list') return true
  return (name === 'earliest' || name === 'latest' ? TIMES : NUMBERS).has(type)
}

/** The attributes that the function can read. */
export const ofOptions = (attributes: readonly Attribute[], name: RollupFunction) =>
  attributes
    .filter((attribute) => isReadBy(name, attribute))
    .map(({ api_slug, title, type }) => ({
      value: FIELDS[type] === undefined ? api_slug : `${api_slug}.${FIELDS[type]}`,
      label: title,
    }))

export function typePathOf(model: DataModel | undefined, one: RecordType): EntityTypePath | undefined {
  const { api_slug } = one
  if (api_slug === null || model === undefined) return undefined
  return { kind: isActivity(api_slug) ? 'activities' : 'objects', slug: api_slug }
}

export interface Through {
  readonly value: string
  readonly label: string
  readonly path: EntityTypePath
}

/** The attributes of all objects and activities that refer to records of the entity type, and the lists of these. */
export async function throughOptions(
  model: DataModel | undefined,
  { kind, slug }: EntityTypePath,
  signal: AbortSignal,
): Promise<Through[]> {
  const self = allRecordTypes(model).find(({ api_slug }) => api_slug === slug)
  if (kind === 'lists' || model === undefined || self === undefined) return []
  const refersToSelf = (attribute: Attribute): boolean => {
    const ids = attribute.config.record_reference.allowed_object_ids ?? []
    const isAllowed = ids.length === 0 ? kind === 'objects' : ids.includes(recordTypeId(self))
    return !attribute.is_archived && valueTypeOf(attribute).isReference === true && isAllowed
  }
  const ofTypes = await Promise.all(
    allRecordTypes(model).map(async (type) => {
      const path = typePathOf(model, type)
      if (path === undefined) return []
      const attributes = await listAttributes(path, signal)
      return attributes.filter(refersToSelf).map(({ api_slug, title }) => ({
        value: `${path.slug}.${api_slug}`,
        label: `${type.plural_noun ?? path.slug}: ${title}`,
        path,
      }))
    }),
  )
  const lists = model.lists
    .filter(({ parent_object, workspace_access }) => parent_object.includes(slug) && workspace_access !== null)
    .map(({ api_slug, name }): Through => ({ value: api_slug, label: name, path: { kind: 'lists', slug: api_slug } }))
  return [...ofTypes.flat(), ...lists]
}
