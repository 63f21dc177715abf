/**
 * Signatures, headers and bodies of requests, verified with code that is independent of the service's.
 * See docs/reference/webhooks-and-events.md (The delivery request).
 */

import { expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { until } from '../../support/until'
import { startFixture } from './fixture'
import { answer, startReceiver, type Received } from './receivers'

const begun = Date.now() / 1000
const fixture = forThisFile(() => startFixture())

async function hmac(secret: string, message: Buffer): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign'])
  return Buffer.from(await crypto.subtle.sign('HMAC', key, new Uint8Array(message))).toString('hex')
}

async function expectSigned({ headers, body }: Received, secrets: readonly [string, ...string[]]): Promise<void> {
  const signature = await hmac(secrets[0], body)
  expect(headers.get('Relata-Signature')).toBe(signature)
  expect(headers.get('X-Relata-Signature')).toBe(signature)
  const seconds = headers.get('X-Relata-Event-Timestamp') ?? ''
  expect(Number(seconds)).toBeWithin(Math.floor(begun), Date.now() / 1000 + 1)
  const stamped = Buffer.concat([Buffer.from(`${seconds}.`), body])
  const parts = await Promise.all(secrets.map(async (secret) => `v1=${await hmac(secret, stamped)}`))
  expect(headers.get('X-Relata-Signature-V2')).toBe([`t=${seconds}`, ...parts].join(','))
}

test('headers and body are those of the reference, with one secret and with two', async () => {
  const receiver = await startReceiver((socket) => answer(socket, 200))
  const { id, secret } = await fixture().webhook(`http://127.0.0.1:${receiver.port}/a/b?c=d%20e`)
  await fixture().happen(['Zoë "quoted"'])
  await until(() => receiver.received.length === 1)
  const [first] = receiver.received as [Received]
  expect(first.head.split('\r\n')[0]).toBe('POST /a/b?c=d%20e HTTP/1.1')
  await expectSigned(first, [secret])
  const [delivery] = await fixture().deliveries(id)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    Host: `127.0.0.1:${receiver.port}`,
    'Content-Type': 'application/json',
    'Content-Length': String(first.body.length),
    'Idempotency-Key': delivery.idempotency_key,
    'X-Relata-Delivery-Attempt': '1',
  })
  expect(first.headers.get('User-Agent')).toMatch(/^Relata 2\.0 \(http.*\)$/)
  for (const unwanted of ['Cookie', 'Authorization', 'Referer']) expect(first.headers.has(unwanted)).toBe(false)
  const [workspace] = await fixture().reader`select id from relata.workspaces`
  expect(first.body.toString()).toBe(
    JSON.stringify({
      webhook_id: id,
      events: [
        {
          event_type: 'list.created',
          id: { workspace_id: workspace?.id, list_id: 'Zoë "quoted"' },
          actor: { type: 'system', id: null },
        },
      ],
    }),
  )

  const rotated = await fixture().request('POST', `/v2/webhooks/${id}/rotate-secret`)
  await fixture().request('POST', `/v2/webhooks/${id}/deliveries/${delivery.delivery_id}/redeliver`)
  await until(() => receiver.received.length === 2)
  const [, second] = receiver.received as [Received, Received]
  expect(second.body.equals(first.body)).toBe(true)
  expect(second.headers.get('Idempotency-Key')).toBe(first.headers.get('Idempotency-Key') ?? '')
  await expectSigned(second, [rotated.data.secret, secret])
  receiver.close()
})
