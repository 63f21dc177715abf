/** The addresses of recipients, as people write them. */

import type { Values } from '../../api/records/entities'

/** Addresses between commas, semicolons or line breaks. Of `Ada <ada@example.com>` the address counts. */
export const addressesIn = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).trim())
    .filter((address) => address !== '')

/** The first email address of a record. */
export function firstAddress(values: Values): string | undefined {
  for (const each of Object.values(values))
    for (const value of each) if (value.attribute_type === 'email-address') return String(value.email_address)
  return undefined
}
