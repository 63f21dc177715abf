/** The converter of each attribute type. A type without a line here does not compile. */

import type { Attribute, TypeName } from '#engine/data-model/model'
import type { CellConverter } from './conversion'
import { emailAddress, phoneNumber } from './converters/contacts'
import { currency } from './converters/currency'
import { domain } from './converters/domain'
import { location } from './converters/location'
import { options } from './converters/options'
import { personalName } from './converters/personal-name'
import { actorReference, recordReference } from './converters/references'
import { checkbox, date, number, text, timestamp } from './converters/scalars'

/** The service computes all values of the type, so an import never writes them. */
const READ_ONLY = null

const CONVERTERS: Readonly<Record<TypeName, CellConverter | typeof READ_ONLY>> = {
  text,
  number,
  rating: number,
  checkbox,
  currency,
  date,
  timestamp,
  select: options,
  status: options,
  location,
  domain,
  'email-address': emailAddress,
  'phone-number': phoneNumber,
  'personal-name': personalName,
  'record-reference': recordReference,
  'actor-reference': actorReference,
  interaction: READ_ONLY,
}

/** Undefined for a type that an import never writes. */
export const findConverter = (type: TypeName): CellConverter | undefined => CONVERTERS[type] ?? undefined

/** Whether a column can go to the attribute. */
export const isImportable = ({ is_writable, type }: Pick<Attribute, 'is_writable' | 'type'>): boolean =>
  is_writable && findConverter(type) !== undefined

/** The parts of a value that columns can go to; empty for most types. */
export const partsOf = (type: TypeName): readonly string[] => findConverter(type)?.parts?.names ?? []
