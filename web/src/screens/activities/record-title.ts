/** What a list calls a record of an activity: "Outbound phone call · Connected". */

import type { Activity } from '../../api/data-model/activities'
import type { Attribute } from '../../api/data-model/attributes'
import type { Values } from '../../api/records/entities'
import { optionKindOf } from '../../values/options.svelte'
import { textOfValues } from '../../values/registry'

const DIRECTION = 'direction'
const SUBJECT = 'subject'

/** The noun with the direction, then the other options and the subject. */
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
  const noun = side === '' ? singular_noun : `${side} ${singular_noun.toLowerCase()}`
  return [noun, ...others.filter((text) => text !== '')].join(' · ')
}

const isTitle = (attribute: Attribute): boolean =>
  optionKindOf(attribute) !== undefined || attribute.api_slug === SUBJECT
