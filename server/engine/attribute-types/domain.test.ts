import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { operand, refusal, write } from './testing/try-value'

const domain = attribute('domain')

describe('domain', () => {
  test.each([
    ['app.example.com', 'app.example.com', 'example.com'],
    [' Relata.DEV ', 'relata.dev', 'relata.dev'],
    ['https://user:pass@www.relata.co.uk:8443/a/b?c=d#e', 'www.relata.co.uk', 'relata.co.uk'],
    ['//relata.dev/x', 'relata.dev', 'relata.dev'],
    ['relata.dev:80', 'relata.dev', 'relata.dev'],
    ['relata.dev.', 'relata.dev', 'relata.dev'],
    ['relata.dev/pricing', 'relata.dev', 'relata.dev'],
    ['relata.dev?x=1', 'relata.dev', 'relata.dev'],
    ['relata.dev#top', 'relata.dev', 'relata.dev'],
    ['bücher.de', 'xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['shop.münchen.рф', 'shop.xn--mnchen-3ya.xn--p1ai', 'xn--mnchen-3ya.xn--p1ai'],
    ['me.github.io', 'me.github.io', 'github.io'],
    ['TC_EC07_base-test-1.com', 'tc_ec07_base-test-1.com', 'tc_ec07_base-test-1.com'],
    ['_dmarc.a_.co.uk', '_dmarc.a_.co.uk', 'a_.co.uk'],
  ])('%s is %s of %s', async (raw, name, root_domain) => {
    expect(await write(raw, domain)).toEqual({ domain: name, root_domain })
    expect(await write({ domain: raw, root_domain: 'ignored.com' }, domain)).toEqual({ domain: name, root_domain })
  })

  test.each([
    'relata',
    'localhost',
    'com',
    'co.uk',
    'a.test',
    'a.example',
    'a.invalid',
    'a.localhost',
    'a.nosuchtld',
    '1.2.3.4',
    '[::1]',
    'a b.com',
    '-a.com',
    'a-.com',
    'a..com',
    'a.b_c',
    '_.com_',
    '.com',
    '',
    'https://',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(126)}com`,
  ])('%j is refused', async (raw) => {
    expect(await refusal(raw, domain)).toEqual([{ code: 'invalid', path: ['domain'], message: 'Invalid domain' }])
  })

  test('null is refused', async () => {
    expect(await refusal({ domain: null }, domain)).toMatchObject([
      { code: 'invalid_type', path: ['domain'], received: 'null' },
    ])
  })

  test('operands of $eq are normalised, operands of $contains become lower case', () => {
    expect(operand('https://Relata.dev/', domain, 'domain')).toBe('relata.dev')
    expect(operand('RELATA', domain, 'domain')).toBe('relata')
    expect(operand('Relata.', domain, 'root_domain', '$starts_with')).toBe('relata.')
  })
})
