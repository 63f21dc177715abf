/** The converter of each attribute type. A type without a line here does not compile. */

import type { Attribute } from '#engine/data-model/model'
import type { TypeName } from '#vocabulary/data-model'
import type { CellConverter } from './conversion'
import { emailAddressConverter, phoneNumberConverter } from './converters/contacts'
import { currencyConverter } from './converters/currency'
import { domainConverter } from './converters/domain'
import { locationConverter } from './converters/location'
import { optionsConverter } from './converters/options'
import { personalNameConverter } from './converters/personal-name'
import { actorReferenceConverter, recordReferenceConverter } from './converters/references'
import {
  checkboxConverter,
  dateConverter,
  numberConverter,
  textConverter,
  timestampConverter,
} from './converters/scalars'

/** The service computes all values of the type, so an import never writes them. */
const READ_ONLY = null

const CONVERTERS: Readonly<Record<TypeName, CellConverter | typeof READ_ONLY>> = {
  text: textConverter,
  number: numberConverter,
  rating: numberConverter,
  checkbox: checkboxConverter,
  currency: currencyConverter,
  date: dateConverter,
  timestamp: timestampConverter,
  select: optionsConverter,
  status: optionsConverter,
  location: locationConverter,
  domain: domainConverter,
  'email-address': emailAddressConverter,
  'phone-number': phoneNumberConverter,
  'personal-name': personalNameConverter,
  'record-reference': recordReferenceConverter,
  'actor-reference': actorReferenceConverter,
  interaction: READ_ONLY,
}

/** Undefined for a type that an import never writes. */
export const findConverter = (type: TypeName): CellConverter | undefined => CONVERTERS[type] ?? undefined

/** Whether a column can go to the attribute. */
export const isImportable = ({ is_writable, type }: Pick<Attribute, 'is_writable' | 'type'>): boolean =>
  is_writable && findConverter(type) !== undefined

/** The parts of a value that columns can go to; empty for most types. */
export const partsOf = (type: TypeName): readonly string[] => findConverter(type)?.parts?.names ?? []
