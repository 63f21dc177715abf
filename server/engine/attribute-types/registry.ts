/**
 * The seventeen attribute types by name. A missing one is a compile error.
 * See docs/reference/values.md (Types at a glance).
 */

import type { TypeName } from '#vocabulary/data-model'
import { actorReference } from './actor-reference'
import { checkbox } from './checkbox'
import { currency } from './currency'
import { date } from './date'
import type { AttributeType } from './define'
import { domain } from './domain'
import { emailAddress } from './email-address'
import { interaction } from './interaction'
import { location } from './location'
import { number } from './number'
import { personalName } from './personal-name'
import { phoneNumber } from './phone-number'
import { rating } from './rating'
import { recordReference } from './record-reference'
import { select } from './select'
import { status } from './status'
import { text } from './text'
import { timestamp } from './timestamp'

export const attributeTypes: Readonly<Record<TypeName, AttributeType>> = {
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

export const attributeType = (name: TypeName): AttributeType => attributeTypes[name]
