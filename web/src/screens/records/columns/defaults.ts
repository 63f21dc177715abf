/** The default columns and sorts of a table. */

import { type Attribute, type EntityTypePath, isOfPeople } from '../../../api/data-model/attributes'
import type { SortInput } from '../../../api/records/entities'
import { nameSlugs, TIMESTAMP } from '../../../state/record-label'

const COUNT = 9

/** Attributes that get no column by default. */
const EXCLUDED = new Set(['angellist', 'facebook', 'instagram', 'linkedin', 'twitter', 'description'])

/** The attribute of the label first, then the editable and the computed attributes. */
export function defaultColumns(entityType: EntityTypePath, present: readonly Attribute[]): readonly Attribute[] {
  const first = labelAttribute(entityType, present)
  const others = present.filter((one) => one !== first && isOfPeople(one) && !EXCLUDED.has(one.api_slug))
  const columns = [...(first ? [first] : []), ...others].slice(0, COUNT)
  return columns.length > 0 ? columns : present.slice(0, COUNT)
}

/** The attribute that names a row; of an activity, the time; in a list, the parent record. */
export function labelAttribute(entityType: EntityTypePath, present: readonly Attribute[]): Attribute | undefined {
  const label = entityType.kind === 'lists' ? 'parent_record' : nameSlugs(entityType, present)[0]
  return present.find(({ api_slug }) => api_slug === label)
}

/** The newest records of an activity come first. */
export const defaultSorts = ({ kind }: EntityTypePath): readonly SortInput[] =>
  kind === 'activities' ? [{ attribute: TIMESTAMP, direction: 'desc' }] : []
