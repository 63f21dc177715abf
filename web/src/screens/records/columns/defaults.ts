/** The columns of a table that nobody has arranged yet. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { namingSlugs } from '../../../state/naming'

const COUNT = 9

/** Seldom worth a column. */
const SELDOM = new Set(['angellist', 'facebook', 'instagram', 'linkedin', 'twitter', 'description'])

/** What names a row comes first, then what people write. */
export function defaultColumns(entityType: EntityTypePath, present: readonly Attribute[]): readonly Attribute[] {
  const first = namingAttribute(entityType, present)
  const others = present.filter((one) => one !== first && one.is_writable && !SELDOM.has(one.api_slug))
  const columns = [...(first ? [first] : []), ...others].slice(0, COUNT)
  return columns.length > 0 ? columns : present.slice(0, COUNT)
}

/** The attribute by which a row is known: of a list, the record it stands for. */
export function namingAttribute({ kind, slug }: EntityTypePath, present: readonly Attribute[]): Attribute | undefined {
  const naming = kind === 'lists' ? 'parent_record' : namingSlugs(slug, present)[0]
  return present.find(({ api_slug }) => api_slug === naming)
}
