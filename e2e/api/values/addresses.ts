/**
 * Domains, email addresses and telephone numbers. See docs/reference/values.md (Domain, Email address, Phone number).
 */

import { describe } from 'bun:test'
import { accepts, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const domain = (domain: string, root_domain = domain) => [{ domain, root_domain }]

describe('domain', () => {
  accepts(at('domain'), [
    { send: 'app.example.com', reads: domain('app.example.com', 'example.com') },
    { send: { domain: 'example.com' }, reads: domain('example.com') },
    { send: { domain: 'example.com', root_domain: 'ignored.org' }, reads: domain('example.com') },
    { send: '  Example.COM  ', reads: domain('example.com') },
    {
      send: 'https://user:secret@www.example.co.uk:8443/path?q=1#top',
      reads: domain('www.example.co.uk', 'example.co.uk'),
    },
    { send: 'example.com/path', reads: domain('example.com') },
    { send: 'example.com:8080', reads: domain('example.com') },
    { send: 'example.com.', reads: domain('example.com') },
    { send: 'http://example.com?q=1', reads: domain('example.com') },
    { send: 'bücher.de', reads: domain('xn--bcher-kva.de') },
    { send: 'project.github.io', reads: domain('project.github.io', 'github.io') },
    { send: null, reads: [] },
  ])
  refuses(
    at('domain'),
    [
      'localhost',
      'example',
      'a.test',
      'a.example',
      'a.invalid',
      'a.localhost',
      'co.uk',
      'com',
      '',
      'two words.com',
      'exa_mple..com',
      '127.0.0.1',
      '-a.com',
      5,
      true,
      {},
      { domain: null },
    ].map((send) => ({ send, code: 'validation_type' })),
  )
  refuses(at('domain'), [
    { send: 'nothing', code: 'validation_type', says: ['invalid value', '"domain"'], at: ['domain'] },
  ])
})

const email = (original: string, email_domain: string, email_root_domain: string) => {
  const email_address = original.trim().toLowerCase()
  return [
    {
      original_email_address: original,
      email_address,
      email_domain,
      email_root_domain,
      email_local_specifier: email_address.split('@')[0],
    },
  ]
}

describe('email-address', () => {
  accepts(at('email'), [
    { send: 'Alice@App.Example.com', reads: email('Alice@App.Example.com', 'app.example.com', 'example.com') },
    { send: { email_address: 'bob@example.com' }, reads: email('bob@example.com', 'example.com', 'example.com') },
    { send: 'b.o.b+tag@example.com', reads: email('b.o.b+tag@example.com', 'example.com', 'example.com') },
    {
      send: `${'a'.repeat(64)}@example.com`,
      reads: email(`${'a'.repeat(64)}@example.com`, 'example.com', 'example.com'),
    },
    {
      send: {
        email_address: 'alice@example.com',
        original_email_address: 'Alice@example.com',
        email_domain: 'other.org',
      },
      reads: email('Alice@example.com', 'example.com', 'example.com'),
    },
    { send: null, reads: [] },
  ])
  refuses(
    at('email'),
    [
      'alice',
      'alice@',
      '@example.com',
      'alice@example',
      'a b@example.com',
      'a@b@example.com',
      '.a@example.com',
      'a..b@example.com',
      'a@x.test',
      'a@x.example',
      'a@x.invalid',
      'a@x.localhost',
      'a@-x.com',
      `${'a'.repeat(250)}@example.com`,
      '',
      5,
      {},
      { email_address: null },
    ].map((send) => ({ send, code: 'validation_type' })),
  )
  refuses(at('email'), [
    { send: 'alice', code: 'validation_type', says: ['invalid value', 'attribute with slug "email"'] },
  ])
})

const phone = (phone_number: string, original_phone_number: string, country_code: string) => [
  { phone_number, original_phone_number, country_code },
]

describe('phone-number', () => {
  accepts(at('phone'), [
    { send: '+12125551234', reads: phone('+12125551234', '+12125551234', 'US') },
    { send: '+44 20 7946 0958', reads: phone('+442079460958', '+44 20 7946 0958', 'GB') },
    {
      send: { original_phone_number: '(212) 555-1234', country_code: 'US' },
      reads: phone('+12125551234', '(212) 555-1234', 'US'),
    },
    {
      send: { original_phone_number: '+12125551234', country_code: null },
      reads: phone('+12125551234', '+12125551234', 'US'),
    },
    { send: { original_phone_number: '+12125551234' }, reads: phone('+12125551234', '+12125551234', 'US') },
    {
      send: { original_phone_number: '+442079460958', country_code: 'US' },
      reads: phone('+442079460958', '+442079460958', 'GB'),
    },
    { send: '+1 212 555 1234 ext. 5', reads: phone('+12125551234', '+1 212 555 1234 ext. 5', 'US') },
    { send: null, reads: [] },
  ])
  refuses(at('phone'), [
    {
      send: '+11234567890',
      code: 'validation_type',
      says: ['Invalid phone number', '"phone"'],
      at: ['original_phone_number'],
    },
    { send: '212 555 1234', code: 'validation_type', at: ['original_phone_number'] },
    { send: { original_phone_number: '212 555 1234', country_code: null }, code: 'validation_type' },
    {
      send: { original_phone_number: '+12125551234', country_code: 'XX' },
      code: 'validation_type',
      at: ['country_code'],
    },
    { send: { country_code: 'US' }, code: 'validation_type', at: ['original_phone_number'] },
    { send: '', code: 'validation_type' },
    { send: 'call me', code: 'validation_type' },
    { send: 12125551234, code: 'validation_type' },
  ])
})
