/** The values that stand at the top of a record page. */

import { type Attribute, isOfPeople, type RecordTypePath } from '../../../../api/data-model/attributes'
import type { Values } from '../../../../api/records/entities'
import { nameSlugs } from '../../../../state/record-label'

const MAX = 4

/** Of standard objects. */
export const KEY_SLUGS: Readonly<Record<string, readonly string[]>> = {
  people: ['email_addresses', 'company', 'job_title', 'phone_numbers'],
  companies: ['domains', 'categories', 'primary_location', 'employee_range'],
  deals: ['value', 'associated_company', 'owner'],
  users: ['primary_email_address', 'person', 'workspace'],
  workspaces: ['company', 'users'],
}

/**
 * The standard ones of the object, otherwise the first that people write; in both cases only those with a value, without the
 * attribute of the stage.
 */
export function keyAttributes(type: RecordTypePath, attributes: readonly Attribute[], values: Values): Attribute[] {
  const [label] = nameSlugs(type, attributes)
  const stage = stageAttribute(attributes)
  const valued = attributes.filter(
    (one) => !one.is_archived && one.api_slug !== label && one !== stage && (values[one.api_slug] ?? []).length > 0,
  )
  const slugs = type.kind === 'objects' ? KEY_SLUGS[type.slug] : undefined
  const keys = slugs?.flatMap((slug) => valued.filter(({ api_slug }) => api_slug === slug)) ?? valued.filter(isOfPeople)
  return keys.slice(0, MAX)
}

/** The attribute whose statuses stand below the key values as a bar. */
export const stageAttribute = (attributes: readonly Attribute[]): Attribute | undefined =>
  attributes.find(({ type, is_archived, is_multiselect }) => type === 'status' && !is_archived && !is_multiselect)
