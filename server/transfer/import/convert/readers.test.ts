import { describe, expect, test } from 'bun:test'
import { readAmounts, readWebsite, splitEmails, splitList, splitPhones } from '#transfer/import/convert/readers'

describe('readWebsite', () => {
  test.each([
    ['https://www.talkable.com', { domain: 'talkable.com' }],
    ['http://www.InstallMonetizer.com', { domain: 'installmonetizer.com' }],
    ['http://tumult.com/hype', { domain: 'tumult.com' }],
    ['talkable.com', { domain: 'talkable.com' }],
    ['shop.talkable.co.uk/', { domain: 'shop.talkable.co.uk' }],
    ['https://user:secret@talkable.com:8080/a?b#c', { domain: 'talkable.com' }],
    ['www.com', { domain: 'www.com' }],
    ['https://www.seed_2-test.com/', { domain: 'seed_2-test.com' }],
    ['https://twitter.com', { domain: 'twitter.com' }],
    ['https://twitter.com/', { domain: 'twitter.com' }],
    ['https://twitter.com/nowbox', { profile: { slug: 'twitter', url: 'https://twitter.com/nowbox' } }],
    ['http://www.facebook.com/Page4', { profile: { slug: 'facebook', url: 'http://www.facebook.com/Page4' } }],
    ['linkedin.com/company/x', { profile: { slug: 'linkedin', url: 'linkedin.com/company/x' } }],
    ['https://github.com/x', { problem: '"https://github.com/x" is a page on github.com, not a domain of its own' }],
    ['not a site', { problem: '"not a site" is not a website' }],
    ['localhost', { problem: '"localhost" is not a website' }],
  ] as const)('%s', (text, website) => expect(readWebsite(text)).toEqual(website))
})

describe('readAmounts', () => {
  test.each([
    ['$1,200,000', { sum: '1200000', currency: 'USD' }],
    ['$1,200,000, undisclosed amount', { sum: '1200000', currency: 'USD' }],
    ['$2800000, $2100000, $1200000, $1200000', { sum: '7300000', currency: 'USD' }],
    ['undisclosed amount, $1300000, $400000, $14000', { sum: '1714000', currency: 'USD' }],
    ['undisclosed amount', { sum: undefined, currency: undefined }],
    ['undisclosed amount, undisclosed amount', { sum: undefined, currency: undefined }],
    ['$0.1, $0.2', { sum: '0.3', currency: 'USD' }],
    ['$1,234.5 and $0.5', { sum: '1235', currency: 'USD' }],
    ['1200', { sum: '1200', currency: undefined }],
    ['-$50', { sum: '-50', currency: 'USD' }],
    ['$1.2M', { sum: '1200000', currency: 'USD' }],
    ['€1.200.000', { sum: '1200000', currency: 'EUR' }],
    ['1.200,50 €', { sum: '1200.5', currency: 'EUR' }],
    ['3 million USD', { sum: '3000000', currency: 'USD' }],
    [`$5${' '.repeat(900)}million`, { sum: '5000000', currency: 'USD' }],
    [`$5, ${'1'.repeat(1000)}`, undefined],
    ['$5, €5', undefined],
    ['about $5', undefined],
    ['call us', undefined],
  ] as const)('%s', (text, amounts) => expect(readAmounts(text)).toEqual(amounts))
})

describe('splitList', () => {
  const known = new Set(['research, development and testing', 'software'])
  const isKnown = (title: string) => known.has(title.toLowerCase())
  test.each([
    ['E-Commerce, Analytics,Internet', ['E-Commerce', 'Analytics', 'Internet']],
    ['Music, music , MUSIC', ['Music']],
    [' ,, ', []],
    ['', []],
    ['a; b, c; d', ['a', 'b, c', 'd']],
    ['Music,, Research, Development and Testing,', ['Music', 'Research, Development and Testing']],
    ['a|b', ['a', 'b']],
    ['Research, Development and Testing', ['Research, Development and Testing']],
    ['Video, Research, Development and Testing, Software', ['Video', 'Research, Development and Testing', 'Software']],
  ])('%s', (text, parts) => expect(splitList(text, isKnown)).toEqual(parts))
})

test('splitEmails and splitPhones drop text around addresses and numbers', () => {
  expect(splitEmails('Ada <ada@x.com>; mailto:bob@x.com, eve@x.com')).toEqual(['ada@x.com', 'bob@x.com', 'eve@x.com'])
  expect(splitPhones("'+1 212 555 1234; +44 20 7946 0000")).toEqual(['+1 212 555 1234', '+44 20 7946 0000'])
})
