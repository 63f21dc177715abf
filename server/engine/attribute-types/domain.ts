/** A host name, taken from any URL. See docs/reference/values.md (Domain). */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { invalidValue } from '#base/errors/api-error'
import { defineAttributeType, type Operator, scalarAs } from './define'
import { parseHostName } from './formats/host-names'
import { textual } from './definition/properties'

/** `scheme://user:password@host:port/path?query#fragment`, of which only the host must be there. */
const URL_WITH_HOST = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/)?(?:[^/?#@]*@)?([^/?#@:\s]+?)\.?(?::\d*)?(?:[/?#].*)?$/is

/** The limit of a URL. */
const MAX_LENGTH = 16 * 1024

export const domain = defineAttributeType({
  type: 'domain',
  allows: { ...ALLOWED_SETTINGS.domain, match: true, null: true },
  isUrlValue: true,

  input: Type.Object({ domain: Type.String() }),
  shortForm: Type.String(),
  shorthand: scalarAs('domain'),
  parse(input) {
    const name = parseHostName(hostOf(input.domain))
    if (!name) throw invalidValue('Invalid domain', ['domain'])
    return { domain: name.host, root_domain: name.root }
  },

  columns: { domain: 'text', root_domain: 'text' },
  key: (stored) => String(stored.domain),

  sql: { form: 'scalar', type: 'text', column: 'domain' },
  output: Type.Object({ domain: Type.String(), root_domain: Type.String() }),
  render: () => (stored) => `"domain":"${stored.domain}","root_domain":"${stored.root_domain}"`,
  plainTexts: {
    members: ['domain', 'root_domain'],
    parts: ({ domain, root_domain: root }) => (domain && root ? [domain, root] : undefined),
  },

  properties: { domain: textual('domain', searched), root_domain: textual('root_domain', searched) },
  defaultProperty: 'domain',
  groupedBy: 'domain',
  defaultSort: 'domain',
})

const hostOf = (text: string): string => (text.length > MAX_LENGTH ? '' : (URL_WITH_HOST.exec(text.trim())?.[1] ?? ''))

/** Parses a whole domain like a written value. Converts a part of one to lower case. */
function searched(text: string, operator: Operator): string {
  const whole = operator === '$eq' || operator === '$in' ? parseHostName(hostOf(text)) : undefined
  return whole?.host ?? text.trim().toLowerCase()
}
