/** The default columns of a table. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { labelSlugs } from '../../../state/record-label'

const COUNT = 9

/** Attributes that get no column by default. */
const EXCLUDED = new Set(['angellist', 'facebook', 'instagram', 'linkedin', 'twitter', 'description'])

/** The attribute of the label first, then the editable attributes. */
export function defaultColumns(entityType: EntityTypePath, present: readonly Attribute[]): readonly Attribute[] {
  const first = labelAttribute(entityType, present)
  const others = present.filter((one) => one !== first && one.is_writable && !EXCLUDED.has(one.api_slug))
  const columns = [...(first ? [first] : []), ...others].slice(0, COUNT)
  return columns.length > 0 ? columns : present.slice(0, COUNT)
}

/** The attribute that names a row; in a list, the parent record. */
export function labelAttribute({ kind, slug }: EntityTypePath, present: readonly Attribute[]): Attribute | undefined {
  const label = kind === 'lists' ? 'parent_record' : labelSlugs(slug, present)[0]
  return present.find(({ api_slug }) => api_slug === label)
}
