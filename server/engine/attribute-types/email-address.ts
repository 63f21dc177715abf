/**
 * An email address in lower case, with the original text. See docs/reference/values.md (Email address).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { InvalidValue } from '#base/errors/api-error'
import { defineAttributeType, scalarAs } from './define'
import { parseMailHostName } from './formats/host-names'
import { partOf, textual } from './definition/properties'

const MAX_LENGTH = 254
/** Words of letters, digits and marks, joined by single dots. RFC 5321's dot-string. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const MAX_LOCAL_PART = 64

const AT_SIGN = 0x40

/** Parses a whole address like a written value. Converts a part of one to lower case. */
const wholeAddress = textual('email_address', (text, operator) => {
  const whole = operator === '$eq' || operator === '$in' ? readAddress(text) : undefined
  return whole?.email_address ?? text.trim().toLowerCase()
})

export const emailAddress = defineAttributeType({
  type: 'email-address',
  allows: { ...ALLOWED_SETTINGS['email-address'], match: true, null: true },

  // An original that means the same address stays, so that writing what was read changes nothing.
  input: Type.Object({ email_address: Type.String(), original_email_address: Type.Optional(Type.Unknown()) }),
  shortForm: Type.String(),
  shorthand: scalarAs('email_address'),
  parse({ email_address, original_email_address: before }) {
    const address = readAddress(email_address)
    if (!address) throw invalidAddress()
    const isSame = typeof before === 'string' && readAddress(before)?.email_address === address.email_address
    const original = isSame ? before : email_address
    return { ...address, original_email_address: original === address.email_address ? null : original }
  },

  columns: { email_address: 'text', original_email_address: 'text', email_root_domain: 'text' },
  key: ({ email_address }) => String(email_address),

  sql: { form: 'scalar', type: 'text', column: 'email_address' },
  output: Type.Object({
    original_email_address: Type.String(),
    email_address: Type.String(),
    email_domain: Type.String(),
    email_root_domain: Type.String(),
    email_local_specifier: Type.String(),
  }),
  render: () => (stored) => {
    const address = String(stored.email_address)
    const at = address.lastIndexOf('@')
    return (
      `"original_email_address":${JSON.stringify(stored.original_email_address ?? address)},"email_address":"${address}",` +
      `"email_domain":"${address.slice(at + 1)}","email_root_domain":"${stored.email_root_domain}",` +
      `"email_local_specifier":"${address.slice(0, at)}"`
    )
  },
  plainTexts: {
    members: ['original_email_address', 'email_address', 'email_domain', 'email_root_domain', 'email_local_specifier'],
    parts({ email_address: address, original_email_address: original, email_root_domain: root }) {
      if (address === undefined || root === undefined) return undefined
      const at = address.bytes.lastIndexOf(AT_SIGN, address.start + address.length - 1)
      if (at < address.start) return undefined
      const { bytes, start, length } = address
      const domain = { bytes, start: at + 1, length: start + length - at - 1 }
      return [original ?? address, address, domain, root, { bytes, start, length: at - start }]
    },
  },

  properties: {
    email_address: wholeAddress,
    // The name that older clients use.
    normalized_email_address: wholeAddress,
    email_domain: partOf('email_address', '@', 2),
    email_root_domain: textual('email_root_domain', (text) => text.toLowerCase()),
    email_local_specifier: partOf('email_address', '@', 1),
  },
  defaultProperty: 'email_address',
  defaultSort: 'email_address',
})

const invalidAddress = () =>
  new InvalidValue([
    { code: 'invalid_string', path: ['email_address'], message: 'Invalid email address', string_validation: 'email' },
  ])

/** The limit of an address whose host may have any script, with spaces around it. */
const MAX_WRITTEN_LENGTH = 5 * MAX_LENGTH

/** Undefined for a text that is no address. */
export function readAddress(text: string): { email_address: string; email_root_domain: string } | undefined {
  if (text.length > MAX_WRITTEN_LENGTH) return undefined
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, Math.max(at, 0))
  if (local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return undefined
  const domain = parseMailHostName(trimmed.slice(at + 1))
  if (!domain || local.length + 1 + domain.host.length > MAX_LENGTH) return undefined
  return { email_address: `${local.toLowerCase()}@${domain.host}`, email_root_domain: domain.root }
}
