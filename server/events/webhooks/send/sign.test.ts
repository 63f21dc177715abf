import { describe, expect, test } from 'bun:test'
import { headersOf } from './send-request'

const body = '{"webhook_id":"1","events":[{"name":"Zoë"}]}'
const signing = {
  brand: 'relata',
  docsUrl: 'http://localhost:8080/docs',
  secrets: { current: 'a'.repeat(64) },
  idempotencyKey: 'key-1',
  attempt: 3,
  seconds: 1_893_456_000,
}

/** Computes the signature as a receiver does, with Web Crypto. */
async function sign(secret: string, message: string): Promise<string> {
  const bytes = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return Buffer.from(await crypto.subtle.sign('HMAC', key, bytes.encode(message))).toString('hex')
}

describe('headersOf', () => {
  test('signs the sent body with the characters of the secret', async () => {
    const signature = await sign(signing.secrets.current, body)
    const timed = await sign(signing.secrets.current, `1893456000.${body}`)
    expect(headersOf(signing, body)).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Relata 2.0 (http://localhost:8080/docs)',
      'Relata-Signature': signature,
      'X-Relata-Signature': signature,
      'Idempotency-Key': 'key-1',
      'X-Relata-Delivery-Attempt': '3',
      'X-Relata-Event-Timestamp': '1893456000',
      'X-Relata-Signature-V2': `t=1893456000,v1=${timed}`,
    })
  })

  test('after a rotation, the old secret also signs in the header that allows two signatures', async () => {
    const secrets = { current: 'b'.repeat(64), previous: 'a'.repeat(64) }
    const headers = headersOf({ ...signing, secrets }, body)
    const message = `1893456000.${body}`
    expect(headers['Relata-Signature']).toBe(await sign(secrets.current, body))
    expect(headers['X-Relata-Signature-V2']).toBe(
      `t=1893456000,v1=${await sign(secrets.current, message)},v1=${await sign(secrets.previous, message)}`,
    )
  })
})
