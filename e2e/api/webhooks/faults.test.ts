/** Receivers that fail in different ways: the stored attempt, and the time of the next one. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer as createTlsServer } from 'node:tls'
import { forThisFile } from '../../support/service/service-per-file'
import { until } from '../../support/until'
import { startFixture } from './fixture'
import { answer, listIdOf, startReceiver, type Behaviour, type Receiver } from './receivers'
import { CERTIFICATE, KEY } from './self-signed'

const fixture = forThisFile(() => startFixture({ RELATA_WEBHOOK_TIMEOUT: '1' }))

interface Case {
  readonly behave: Behaviour
  readonly status_code: number | null
  readonly error: string | null
  readonly delivery: 'succeeded' | 'waiting' | 'failed'
  /** The seconds from the attempt to the next one. */
  readonly next?: readonly [least: number, most: number]
}

const FIRST_RETRY = [9, 11] as const
const lost = (error: string, status_code: number | null = null) =>
  ({ status_code, error, delivery: 'waiting', next: FIRST_RETRY }) as const
const answered = (status_code: number, next: readonly [number, number] = FIRST_RETRY) =>
  ({ status_code, error: null, delivery: 'waiting', next }) as const
const accepted = (status_code = 200) => ({ status_code, error: null, delivery: 'succeeded' }) as const

const drip =
  (beginning: string): Behaviour =>
  (socket) => {
    socket.write(beginning)
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  }

const flood: Behaviour = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n')
  const more = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'y')));
  }
  socket.on('drain', more)
  more()
}

const say =
  (bytes: string): Behaviour =>
  (socket) =>
    void socket.end(Buffer.from(bytes, 'latin1'))

const CASES: Readonly<Record<string, Case>> = {
  'never answers': { behave: () => {}, ...lost('timed_out') },
  'resets the connection': { behave: (socket) => socket.resetAndDestroy(), ...lost('broken_off') },
  'closes the connection': { behave: (socket) => socket.end(), ...lost('broken_off') },
  'drips its head': { behave: drip('HTTP/1.1 200 OK\r\nX-Slow: '), ...lost('timed_out') },
  'drips its body': { behave: drip('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n'), ...lost('timed_out', 200) },
  'breaks off in its body': {
    behave: say('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nhalf'),
    ...lost('broken_off', 200),
  },
  'speaks something else': { behave: say('SSH-2.0-OpenSSH_9.2\r\n'), ...lost('broken_off') },
  'says 301': { behave: (socket) => answer(socket, 301, 'Location: /elsewhere'), ...answered(301) },
  'says 307': { behave: (socket) => answer(socket, 307, 'Location: /elsewhere'), ...answered(307) },
  'says 400': { behave: (socket) => answer(socket, 400), ...answered(400) },
  'says 500': { behave: (socket) => answer(socket, 500), ...answered(500) },
  'says 500 and when': { behave: (socket) => answer(socket, 500, 'Retry-After: 600'), ...answered(500) },
  'says 429 and when': { behave: (socket) => answer(socket, 429, 'Retry-After: 600'), ...answered(429, [600, 600]) },
  'says 503 and when': { behave: (socket) => answer(socket, 503, 'Retry-After: 90'), ...answered(503, [90, 90]) },
  'says 429 for a day': {
    behave: (socket) => answer(socket, 429, 'Retry-After: 86400'),
    ...answered(429, [3600, 3600]),
  },
  'says 410': {
    behave: (socket) => answer(socket, 410),
    status_code: 410,
    error: null,
    delivery: 'failed',
  },
  'says 299': { behave: (socket) => answer(socket, 299), ...accepted(299) },
  'has no end': { behave: flood, ...accepted() },
  'answers bytes that are not text': {
    behave: say('HTTP/1.1 200 OK\r\nX-Odd: \xff\xfe\x80\r\nContent-Length: 6\r\n\r\n\x00\xff\xfe\xc3\x28\x00'),
    ...accepted(),
  },
  'says its body is compressed, which it is not': {
    behave: say('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc'),
    ...accepted(),
  },
}

const receivers = new Map<string, Receiver>()
const webhooks = new Map<string, string>()

async function tryWebhook(name: string, target: string): Promise<void> {
  const { id } = await fixture().webhook(target)
  webhooks.set(name, id)
  await fixture().request('POST', `/v2/webhooks/${id}/test`, { data: { event_type: 'list.created' } })
}

beforeAll(async () => {
  for (const [name, { behave }] of Object.entries(CASES)) {
    const receiver = await startReceiver(behave)
    receivers.set(name, receiver)
    await tryWebhook(name, `http://127.0.0.1:${receiver.port}/hook`)
  }
})
afterAll(() => {
  for (const { close } of receivers.values()) close()
})

/** Waits for the first attempt of a webhook's only delivery, and returns the delivery. */
async function attempted(name: string) {
  const id = webhooks.get(name) ?? ''
  const read = async () => (await fixture().deliveries(id))[0]
  await until(async () => (await read())?.attempts.length > 0)
  return read()
}

describe('a receiver that', () => {
  test.each(Object.keys(CASES))('%s', async (name) => {
    const { status_code, error, delivery: status, next } = CASES[name] as Case
    const delivery = await attempted(name)
    const [attempt, second] = delivery.attempts
    expect([delivery.status, attempt.status_code, attempt.error?.code ?? null]).toEqual([status, status_code, error])
    const lines = receivers.get(name)?.received.map(({ head }) => head.split('\r\n')[0])
    expect([...new Set(lines)]).toEqual(['POST /hook HTTP/1.1'])
    if (next === undefined) {
      expect(delivery.next_attempt_at).toBeNull()
      expect(lines).toHaveLength(1)
    } else if (second === undefined) expectWithin(seconds(delivery.next_attempt_at) - seconds(attempt.at), next)
    // A busy machine reads the delivery after its retry, which may be late, but not early.
    else expect(seconds(second.at) - seconds(attempt.at)).toBeGreaterThanOrEqual(next[0])
  })

  test('has a self-signed certificate', async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (socket) => socket.end())
    const listening = Promise.withResolvers<void>()
    server.listen(0, '127.0.0.1', listening.resolve)
    await listening.promise
    const { port } = server.address() as { port: number } // the server listens on a port
    await tryWebhook('certificate', `https://localhost:${port}/hook`)
    const { attempts, status } = await attempted('certificate')
    expect([status, attempts[0].status_code, attempts[0].error.code]).toEqual(['waiting', null, 'bad_certificate'])
    server.close()
  })

  test('refuses connections', async () => {
    const { port, close } = await startReceiver(() => {})
    close()
    await tryWebhook('closed', `http://127.0.0.1:${port}/hook`)
    const { attempts, status } = await attempted('closed')
    expect([status, attempts[0].status_code, attempts[0].error.code]).toEqual(['waiting', null, 'no_connection'])
  })
})

test('failing receivers do not delay others', async () => {
  const well = await startReceiver((socket) => answer(socket, 204))
  await fixture().webhook(`http://127.0.0.1:${well.port}/hook`)
  const ids = Array.from({ length: 100 }, (_, index) => `n${index}`)
  await fixture().happen(ids)
  await until(() => well.received.length >= ids.length)
  expect(well.received.map(listIdOf)).toEqual(ids)
  expect(receivers.get('never answers')?.received.length).toBeLessThan(ids.length / 4)
  well.close()
})

const seconds = (text: string): number => Date.parse(text) / 1000

function expectWithin(value: number, [least, most]: readonly [number, number]): void {
  expect(value).toBeGreaterThanOrEqual(least - 0.001)
  expect(value).toBeLessThanOrEqual(most + 0.001)
}
