/** Which texts are of a person. The same expression is used by PostgreSQL and here. */

import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { patternOf, textReplacer } from './person-terms'

const service = useTestService()

const terms = {
  addresses: ['jürgen+news@x-y.dev', 'o@x.dev'],
  names: [
    { first_name: 'Jürgen', last_name: "O'Neil Müller" },
    { first_name: 'Bo "B"', last_name: 'Li' },
  ],
}

const VALUE = '"email_address":"o@x.dev","email_domain":"x.dev","email_root_domain":"x.dev","email_local_specifier":"o"'
const STORED = '"email_address":"O@x.dev","original_email_address":null,"email_root_domain":"x.dev"'

const CASES: readonly (readonly [text: string, replaced: string])[] = [
  ['o@x.dev', '*'],
  ['<O@X.dev>, and o@x.dev.', '<*>, and *.'],
  ['mailto:o@x.dev?subject=o%40x.dev', 'mailto:*?subject=*'],
  ['%20o%40x.dev&', '%20*&'],
  [String.raw`{"a":"line\no@x.dev\n"}`, String.raw`{"a":"line\n*\n"}`],
  ['no@x.dev o@x.device o@x.dev.uk a.o@x.dev', 'no@x.dev o@x.device o@x.dev.uk a.o@x.dev'],
  ['JÜRGEN+news@x-y.dev', '*'],
  ["jürgen  o'neil\nmüller", '*'],
  ["O'Neil Müller, Jürgen: O'NEIL MÜLLER,JÜRGEN", '*: *'],
  ["Jürgen O'Neil Müllers, Hansjürgen O'Neil Müller", "Jürgen O'Neil Müllers, Hansjürgen O'Neil Müller"],
  [JSON.stringify({ name: 'Bo "B" Li' }), '{"name":"*"}'],
  [`{${VALUE}}`, '{"email_address":"*"}'],
  [`{${STORED}}`, '{"email_address":"*"}'],
  ['{"email_address":"p@x.dev","email_domain":"x.dev"}', '{"email_address":"p@x.dev","email_domain":"x.dev"}'],
]

describe('the pattern of a person', () => {
  const pattern = patternOf(terms)
  const replace = textReplacer(pattern, '*')

  test.each(CASES)('%s', async (text, replaced) => {
    expect(replace(text)).toBe(replaced)
    const [row] = await service.db.sql<{ replaced: string; found: boolean }[]>`
      select regexp_replace(${text}, ${pattern.expression}, '*', 'gi') as replaced,
        lower(${text}) like any(${pattern.likes}::text[]) as found`
    expect(row?.replaced).toBe(replaced)
    if (text !== replaced) expect(row?.found).toBe(true)
  })
})
