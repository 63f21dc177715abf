/** The columns of a table of related records: what they are worth, how far they are, who owns them. */

import type { Attribute, RecordTypePath } from '../../../../api/data-model/attributes'
import { optionKindOf } from '../../../../values/options.svelte'
import { valueTypeOf } from '../../../../values/registry'
import { defaultColumns, labelAttribute } from '../../columns/defaults'
import { KEY_SLUGS } from '../head/key-attributes'

export interface RelatedColumns {
  readonly label: Attribute | undefined
  readonly others: readonly Attribute[]
  /** The attribute whose values are added below the table. */
  readonly sum: Attribute | undefined
}

const MAX_OTHERS = 3

/** The amount, the status and the owner. For objects that have none of these, the first of their key attributes. */
export function relatedColumns(type: RecordTypePath, attributes: readonly Attribute[]): RelatedColumns {
  const present = attributes.filter(({ is_archived, is_multiselect }) => !is_archived && !is_multiselect)
  const label = labelAttribute(type, attributes)
  const written = present.filter((one) => one !== label && one.is_writable)
  const amount = written.find((one) => valueTypeOf(one).hasCurrency === true)
  const status = written.find((one) => optionKindOf(one) === 'statuses')
  const members = written.filter((one) => valueTypeOf(one).defaultEditor === 'member')
  const owner = members.find(({ api_slug }) => api_slug === 'owner') ?? members[0]
  const others = [amount, status, owner].filter((one) => one !== undefined)
  return { label, others: others.length > 0 ? others : keyColumns(type, attributes, label), sum: amount }
}

/** References are left out: one of them refers to the record whose page is open. */
function keyColumns(
  type: RecordTypePath,
  attributes: readonly Attribute[],
  label: Attribute | undefined,
): readonly Attribute[] {
  const slugs = KEY_SLUGS[type.slug]
  const all =
    slugs?.flatMap((slug) => attributes.find(({ api_slug, is_archived }) => api_slug === slug && !is_archived) ?? []) ??
    defaultColumns(
      type,
      attributes.filter(({ is_archived }) => !is_archived),
    )
  return all.filter((one) => one !== label && valueTypeOf(one).isReference !== true).slice(0, MAX_OTHERS - 1)
}
