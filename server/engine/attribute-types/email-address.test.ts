import { describe, expect, test } from 'bun:test'
import { attributeType } from './registry'
import { attribute } from './testing/sample-model'
import { operand, refusal, store, write } from './testing/try-value'

const email = attribute('email-address')

describe('email-address', () => {
  test('Alice@App.Example.com is stored with its parts', async () => {
    expect(await write('Alice@App.Example.com', email)).toEqual({
      original_email_address: 'Alice@App.Example.com',
      email_address: 'alice@app.example.com',
      email_domain: 'app.example.com',
      email_root_domain: 'example.com',
      email_local_specifier: 'alice',
    })
  })

  test.each([
    ['  bob@relata.dev ', 'bob@relata.dev'],
    ['first.last+tag@relata.co.uk', 'first.last+tag@relata.co.uk'],
    ["o'brien!#$%&*/=?^_`{|}~-@relata.dev", "o'brien!#$%&*/=?^_`{|}~-@relata.dev"],
    ['Bob@Bücher.de', 'bob@xn--bcher-kva.de'],
    [`${'a'.repeat(64)}@relata.dev`, `${'a'.repeat(64)}@relata.dev`],
  ])('%s is %s', async (raw, email_address) => {
    expect(await write(raw, email)).toMatchObject({ original_email_address: raw, email_address })
    expect(await write({ email_address: raw }, email)).toMatchObject({ original_email_address: raw, email_address })
  })

  test.each([
    'bob',
    '@relata.dev',
    'bob@',
    'bob@relata',
    'bob@com',
    'a@b@relata.dev',
    '.bob@relata.dev',
    'bob.@relata.dev',
    'b..b@relata.dev',
    'b b@relata.dev',
    '"b b"@relata.dev',
    'bób@relata.dev',
    '\u212Aim@relata.dev',
    'bob@x.test',
    'bob@x.example',
    'bob@x.invalid',
    'bob@x.localhost',
    'bob@1.2.3.4',
    'bob@[1.2.3.4]',
    'bob@relata.dev.',
    'bob@rel_ata.dev',
    'bob@mail_1.relata.dev',
    '',
    'Bob <bob@relata.dev>',
    'bob@https://relata.dev',
    `${'a'.repeat(65)}@relata.dev`,
    `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(4)}com`,
  ])('%j is refused', async (raw) => {
    expect(await refusal(raw, email)).toEqual([
      { code: 'invalid_string', path: ['email_address'], message: 'Invalid email address', string_validation: 'email' },
    ])
  })

  test('an original that equals the address is not stored', async () => {
    expect(await store('bob@relata.dev', email)).toEqual({
      email_address: 'bob@relata.dev',
      original_email_address: null,
      email_root_domain: 'relata.dev',
    })
  })

  test('an original of another address, or an invalid one, is ignored', async () => {
    for (const original_email_address of ['Eve@relata.dev', 'nonsense', 5, null]) {
      const stored = await store({ email_address: 'bob@relata.dev', original_email_address }, email)
      expect(stored).toMatchObject({ email_address: 'bob@relata.dev', original_email_address: null })
    }
  })

  test('addresses that differ only in case are the same', async () => {
    const { key } = attributeType('email-address')
    const [one, other] = [await store('Bob@Relata.dev', email), await store(' bob@relata.dev', email)]
    expect(key(one!)).toBe(key(other!)) // neither is empty
  })

  test('operands are normalised', () => {
    expect(operand(' Bob@Bücher.de', email, 'email_address')).toBe('bob@xn--bcher-kva.de')
    expect(operand('BOB@', email, 'normalized_email_address', '$starts_with')).toBe('bob@')
    expect(operand('Relata.dev', email, 'email_domain')).toBe('relata.dev')
  })

  test('the original cannot be searched', () => {
    expect(Object.keys(attributeType('email-address').properties)).not.toContain('original_email_address')
  })
})
