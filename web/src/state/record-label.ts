/**
 * The label of a record, by the rule that `server/engine/query/compile/label.ts` has for search and sorts.
 * See docs/reference/search.md (What a record is called).
 */

import { LABEL_SLUGS } from '#vocabulary/data-model'
import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import type { Value, Values } from '../api/records/entities'
import { instantText } from '../values/formats'

/** The members of a value that can be a label. */
const LABEL_MEMBERS = ['full_name', 'value', 'email_address', 'domain'] as const

/** The slugs of the attributes that name records of an object. */
export function labelSlugs(objectSlug: string, attributes: readonly Attribute[]): readonly string[] {
  const present = attributes.filter(({ is_archived }) => !is_archived)
  const standard = LABEL_SLUGS[objectSlug]?.filter((slug) => present.some(({ api_slug }) => api_slug === slug)) ?? []
  if (standard.length > 0) return standard
  const texts = present.filter(
    ({ type, api_slug, computed }) => type === 'text' && api_slug !== 'record_id' && computed === undefined,
  )
  const named =
    texts.find(({ is_system_attribute, api_slug }) => is_system_attribute || api_slug === 'name') ?? texts[0]
  return named === undefined ? [] : [named.api_slug]
}

/** Undefined when none of these attributes has a value. */
export function labelIn(values: Values, slugs: readonly string[]): string | undefined {
  for (const slug of slugs) {
    const name = labelOfValue(values[slug]?.[0])
    if (name !== undefined && name.trim() !== '') return name
  }
  return undefined
}

/** The time of a record of an activity. */
export const TIMESTAMP = 'timestamp'

/** What the name of a record is made of: the slugs of attributes. */
export const nameSlugs = ({ kind, slug }: EntityTypePath, attributes: readonly Attribute[]): readonly string[] =>
  kind === 'activities' ? [TIMESTAMP, ...labelSlugs(slug, attributes)] : labelSlugs(slug, attributes)

/** The label of a record, and before it the time of a record of an activity. Undefined when it has neither. */
export function nameIn({ kind }: EntityTypePath, values: Values, slugs: readonly string[]): string | undefined {
  const at = kind === 'activities' ? values[TIMESTAMP]?.[0]?.value : undefined
  if (typeof at !== 'string') return labelIn(values, slugs)
  const label = labelIn(
    values,
    slugs.filter((slug) => slug !== TIMESTAMP),
  )
  return timedName(at, label)
}

const timedName = (at: string, label: string | undefined): string =>
  label === undefined ? instantText(at) : `${instantText(at)}: ${startOf(label)}`

/** A record as searches and the trash answer it. */
interface LabelledRecord {
  readonly id: { readonly record_id: string }
  /** The id of a record that has no label. */
  readonly record_text: string
  /** Of a record of an activity. */
  readonly timestamp?: string
}

/** The name of a record, as `nameIn` has it. */
export function displayName({ id, record_text, timestamp }: LabelledRecord): string {
  const label = record_text === id.record_id ? undefined : record_text
  return timestamp === undefined ? (label ?? 'Unnamed') : timedName(timestamp, label)
}

const MAX_START = 80

/** The first line, as far as a name shows it. */
function startOf(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length > MAX_START ? `${line.slice(0, MAX_START)}…` : line
}

function labelOfValue(value: Value | undefined): string | undefined {
  for (const member of LABEL_MEMBERS) {
    const name = value?.[member]
    if (typeof name === 'string') return name
  }
  return undefined
}
