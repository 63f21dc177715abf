/** The seventeen attribute types, by name. */

import type { TypeName } from '#vocabulary/data-model'
import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import type { Value } from '../api/records/entities'
import { isReadOnlyObject } from '../state/object-access'
import type { ValueType } from './define'
import { actorReference } from './types/actor-reference'
import { checkbox } from './types/checkbox'
import { currency } from './types/currency'
import { date } from './types/date'
import { domain } from './types/domain'
import { emailAddress } from './types/email-address'
import { interaction } from './types/interaction'
import { location } from './types/location'
import { number } from './types/number'
import { personalName } from './types/personal-name'
import { phoneNumber } from './types/phone-number'
import { rating } from './types/rating'
import { recordReference } from './types/record-reference'
import { select } from './types/select'
import { status } from './types/status'
import { text } from './types/text'
import { timestamp } from './types/timestamp'
import { unknownType } from './types/unknown'

const TYPES: Readonly<Record<TypeName, ValueType>> = {
  text,
  number,
  checkbox,
  currency,
  date,
  timestamp,
  rating,
  status,
  select,
  'record-reference': recordReference,
  'actor-reference': actorReference,
  location,
  domain,
  'email-address': emailAddress,
  'phone-number': phoneNumber,
  interaction,
  'personal-name': personalName,
}

/** A type that is newer than this console is `unknownType`. */
export const valueTypeOf = ({ type }: { readonly type: string }): ValueType =>
  (TYPES as Readonly<Record<string, ValueType | undefined>>)[type] ?? unknownType

/** Whether people can edit values of this attribute. */
export const isEditable = (attribute: Attribute): boolean =>
  attribute.is_writable &&
  !attribute.is_archived &&
  valueTypeOf(attribute).Input !== undefined &&
  !isReadOnlyObject(attribute.id.object_id) &&
  // A write to one side of a relationship changes the other side as well.
  (attribute.relationship === null || !isReadOnlyObject(attribute.relationship.id.object_id))

/** All values as text, for exports and messages. */
export const textOfValues = (attribute: Attribute, values: readonly Value[]): string => {
  const { text } = valueTypeOf(attribute)
  return values.map((value) => text(value, attribute)).join(', ')
}

/** A value as tables and pages show it. */
export const shortTextOf = (attribute: Attribute, value: Value): string => {
  const { shortText, text } = valueTypeOf(attribute)
  return shortText?.(value) || text(value, attribute)
}

/** All values as text for other programs. */
export const plainTextOfValues = (attribute: Attribute, values: readonly Value[]): string => {
  const { plainText, text } = valueTypeOf(attribute)
  return values.map((value) => plainText?.(value) ?? text(value, attribute)).join(', ')
}

export const inputOfValues = (attribute: Attribute, values: readonly Value[]): readonly unknown[] =>
  values.map(valueTypeOf(attribute).input)

/** The values that the service will most likely return for an input. Its response replaces them. */
export function optimisticValues(
  entityType: EntityTypePath,
  attribute: Attribute,
  input: readonly unknown[],
): readonly Value[] {
  const { optimistic } = valueTypeOf(attribute)
  return input.map((one) => ({
    active_from: new Date().toISOString(),
    active_until: null,
    created_by_actor: { type: null, id: null },
    attribute_type: attribute.type,
    ...optimistic(one, attribute, entityType),
  }))
}
