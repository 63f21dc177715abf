/** Records that the pickers of records create, with the typed text as their name. */

import type { Attribute, RecordTypePath } from '../api/data-model/attributes'
import type { ValuesInput } from '../api/records/entities'
import { createRecord } from '../api/records/write-entities'
import { goTo } from '../router/location.svelte'
import { attributesOf } from '../state/attributes.svelte'
import { isActivity, nounOf } from '../state/data-model.svelte'
import { labelIn, labelSlugs } from '../state/record-label'
import { setRecordName } from '../state/record-names.svelte'
import { toasts } from '../state/toasts.svelte'
import { hasName } from './find-named'
import type { PickerItem } from './inputs/picker/picker.svelte'
import type { RecordSearch } from './record-search.svelte'
import { isEditable, valueTypeOf } from './registry'

/** The item of a picker that creates a record. */
export interface NewRecordItem extends PickerItem {
  readonly name: string
  readonly type: RecordTypePath
  readonly values: ValuesInput
}

export const isNewRecord = (item: PickerItem): item is NewRecordItem => item.isNew === true && 'values' in item

/**
 * One item for each of the objects whose records need nothing but a name and which the member may change. None while the search
 * runs, and none when a record has the name.
 */
export function newRecordItems(search: RecordSearch, objects: readonly string[]): readonly NewRecordItem[] {
  const name = search.query.trim()
  if (name === '' || search.isSearching || search.failure !== undefined) return []
  if (search.found.some((record) => hasName(record, name))) return []
  return objects
    .filter((slug) => !isActivity(slug))
    .map((slug) => ({ kind: 'objects', slug }) as const)
    .flatMap((type) => {
      const values = valuesOf(type, name)
      const detail = objects.length > 1 ? nounOf(type.slug) : undefined
      return values
        ? [{ id: `new-${type.slug}`, label: `Create “${name}”`, detail, isNew: true, name, type, values }]
        : []
    })
}

/** Undefined when a name is not enough, and while the attributes of the object are loading. */
function valuesOf(type: RecordTypePath, name: string): ValuesInput | undefined {
  const attributes = attributesOf(type)?.data ?? []
  const [slug] = labelSlugs(type.slug, attributes)
  const label = attributes.find(({ api_slug }) => api_slug === slug)
  if (label === undefined || !isEditable(label)) return undefined
  if (attributes.some((one) => one !== label && needsValue(one))) return undefined
  return { [label.api_slug]: [valueTypeOf(label).read?.(name, label, type) ?? name] }
}

const needsValue = ({ is_required, is_archived, default_value }: Attribute): boolean =>
  is_required && !is_archived && default_value === null

/** Creates the record and shows that it exists. Throws the refusal of the service. */
export async function createNamed({ type, name, values }: NewRecordItem): Promise<string> {
  const entity = await createRecord(type, values)
  setRecordName(entity.id, labelIn(entity.values, Object.keys(values)) ?? name)
  toasts.show(`${nounOf(type.slug)} created`, {
    label: 'Open',
    act: () => goTo(`/${type.kind}/${type.slug}/${entity.id}`),
  })
  return entity.id
}
