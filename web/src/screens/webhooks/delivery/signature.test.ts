import { expect, test } from 'bun:test'
import { headersOf } from '#events/webhooks/send/send-request'
import { sign, signaturesIn } from './signature'

const body = '{"webhook_id":"x","events":[{"ü":"€"}]}'
const headers = headersOf(
  {
    brand: 'relata',
    docsUrl: 'http://localhost/docs',
    secrets: { current: 'new secret', previous: 'old secret' },
    idempotencyKey: 'key',
    attempt: 1,
    seconds: 1_700_000_000,
  },
  body,
)

test('the signature that the service sent is found, and computed the same', async () => {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  for (const given of [headers, lowered]) {
    const { header, plain, timed } = signaturesIn(given, 'relata')
    expect(header).toBe('Relata-Signature')
    expect(plain).toBe(await sign('new secret', body))
    expect(timed).toEqual({
      seconds: '1700000000',
      all: [await sign('new secret', `1700000000.${body}`), await sign('old secret', `1700000000.${body}`)],
    })
  }
})

test('a request without a signature has none', () => {
  expect(signaturesIn({ 'X-Relata-Signature-V2': 'nonsense' }, 'relata')).toEqual({
    header: 'Relata-Signature',
    plain: undefined,
    timed: undefined,
  })
})
