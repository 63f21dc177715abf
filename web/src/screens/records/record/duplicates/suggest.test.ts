import { describe, expect, test } from 'bun:test'
import type { FoundRecord } from '../../../../api/records/search'
import { comparedOf, searchesFor, suggest } from './suggest'

const found = (record_text: string, rest: Partial<FoundRecord> = {}): FoundRecord => ({
  id: { workspace_id: 'w', object_id: 'o', record_id: record_text },
  record_text,
  record_image: null,
  object_slug: 'people',
  ...rest,
})

const ada = { name: 'Ada Lovelace', emails: ['ada@engines.org'], domains: [] }

describe('suggest', () => {
  test.each([
    ['the same name in another case', found('ADA LOVELACE'), ['name']],
    ['the same name with an accent', found('Áda Lovelace'), ['name']],
    ['the same address', found('A. L.', { email_addresses: ['ada@engines.org'] }), ['email address']],
    [
      'a similar name at the same domain',
      found('A. Lovelace', { email_addresses: ['al@engines.org'] }),
      ['email domain'],
    ],
    ['another name at the same domain', found('Bob Bit', { email_addresses: ['bob@engines.org'] }), []],
    ['a similar name elsewhere', found('Bob Lovelace', { email_addresses: ['bob@other.org'] }), []],
  ])('%s', (_, other, reasons) => {
    expect(suggest(ada, [other]).flatMap((one) => one.reasons)).toEqual(reasons as never)
  })

  test('companies with the same name or root domain', () => {
    const acme = { name: 'Acme Inc.', emails: [], domains: ['acme.com'] }
    const others = [
      found('ACME'),
      found('Shop', { domains: ['shop.acme.com'] }),
      found('Other', { domains: ['notacme.com'] }),
    ]
    expect(suggest(acme, others)).toMatchObject([{ reasons: ['name'] }, { reasons: ['domain'] }])
  })

  test('shows at most three, each once, those with the most reasons first', () => {
    const both = found('Ada Lovelace', { email_addresses: ['ada@engines.org'] })
    const many = Array.from({ length: 5 }, (_, at) => ({
      ...found('Ada Lovelace'),
      id: { ...both.id, record_id: `${at}` },
    }))
    expect(suggest(ada, [...many, both, both]).map(({ id }) => id)).toEqual(['Ada Lovelace', '0', '1'])
  })

  test('an unnamed record resembles no other unnamed one', () => {
    expect(suggest({ name: '', emails: [], domains: [] }, [found('')])).toEqual([])
  })
})

test('at most four searches, none for hosts of free mail', () => {
  expect(searchesFor(ada)).toEqual(['Ada Lovelace', 'ada@engines.org', 'lovelace engines.org'])
  expect(searchesFor({ name: 'Ada Lovelace', emails: ['ada@gmail.com'], domains: [] })).toEqual([
    'Ada Lovelace',
    'ada@gmail.com',
  ])
  expect(searchesFor({ name: '', emails: [], domains: [] })).toEqual([])
})

test('what is compared of a record', () => {
  const base = { active_from: '', active_until: null, created_by_actor: { type: null, id: null } }
  const values = {
    email_addresses: [{ ...base, attribute_type: 'email-address', email_address: 'a@b.org', email_domain: 'b.org' }],
    domains: [{ ...base, attribute_type: 'domain', domain: 'app.b.org', root_domain: 'b.org' }],
  }
  expect(comparedOf(values, 'a@b.org')).toEqual({ name: '', emails: ['a@b.org'], domains: ['b.org'] })
  const example = { attribute_type: 'domain', domain: 'north.example.com', root_domain: 'example.com' } as never // as the API has it
  expect(comparedOf({ domains: [example] }, 'North').domains).toEqual(['north.example.com'])
})
