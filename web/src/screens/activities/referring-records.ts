/** Records of an activity that refer to a record of an object. */

import type { Activity } from '../../api/data-model/activities'
import type { Attribute } from '../../api/data-model/attributes'
import { type Filter, queryEntities, type Values } from '../../api/records/entities'
import type { ReferringActivity } from '../../state/referring-activities'
import { optionKindOf } from '../../values/options.svelte'
import { textOfValues } from '../../values/registry'
import { nounInSentence } from '../../language'

export interface RecordOfObject {
  readonly slug: string
  readonly recordId: string
}

/** The filter for records that refer to this one with at least one attribute. */
export const referringTo = (slugs: readonly string[], record: RecordOfObject): Filter => ({
  $or: slugs.map((slug) => ({ [slug]: targetOf(record) })),
})

/** The record as a value. */
export const targetOf = ({ slug, recordId }: RecordOfObject) => ({ target_object: slug, target_record_id: recordId })

export async function countReferring(
  { activity, slugs }: ReferringActivity,
  record: RecordOfObject,
  signal: AbortSignal,
): Promise<number> {
  const query = { filter: referringTo(slugs, record), fields: [], limit: 1, include_count: true }
  const { total } = await queryEntities({ kind: 'activities', slug: activity.api_slug }, query, signal)
  return total ?? 0
}

const DIRECTION = 'direction'
const SUBJECT = 'subject'

/** What a list calls a record: the noun with the direction, then the other options and the subject, as in "Outbound phone call · Connected". */
export function recordTitle(
  { singular_noun }: Pick<Activity, 'singular_noun'>,
  attributes: readonly Attribute[],
  values: Values,
): string {
  const textOf = (attribute: Attribute) => textOfValues(attribute, values[attribute.api_slug] ?? [])
  const present = attributes.filter(({ is_archived }) => !is_archived)
  const direction = present.find(({ api_slug }) => api_slug === DIRECTION)
  const side = direction ? textOf(direction) : ''
  const others = present.filter((one) => isTitle(one) && one !== direction).map(textOf)
  const noun = side === '' ? singular_noun : `${side} ${nounInSentence(singular_noun)}`
  return [noun, ...others.filter((text) => text !== '')].join(' · ')
}

const isTitle = (attribute: Attribute): boolean =>
  optionKindOf(attribute) !== undefined || attribute.api_slug === SUBJECT
