/** The parts of every measurement of deliveries: the service, receivers in another process, and webhooks. */

import { findFreePort } from '#db/embedded/cluster'
import type { Side } from '../measure/measure'
import { spawn, startService, type Bench } from '../processes'

export interface Parts {
  readonly bench: Bench
  readonly service: Side
  /** The URL of the receivers. */
  readonly receivers: string
}

export async function startParts(bench: Bench, profile: string | undefined): Promise<Parts> {
  const port = await findFreePort(0)
  const receivers = spawn(bench, ['e2e/bench/deliveries/receivers.ts', String(port)])
  await receivers.readUntil(/Receivers listen/)
  const settings = { RELATA_ALLOW_PRIVATE_TARGETS: '1', RELATA_WEBHOOK_RATE: '0' }
  const service = await startService(bench, bench.url, { settings, profile })
  return { bench, service, receivers: `http://127.0.0.1:${port}` }
}

export async function request(
  { service }: Pick<Parts, 'service'>,
  method: string,
  path: string,
  data: unknown,
): Promise<{ data: { id: Record<string, string> } }> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${service.key}` },
    body: JSON.stringify({ data }),
  })
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json() as Promise<{ data: { id: Record<string, string> } }> // the bench requests only things with ids
}

/** Makes webhooks for exactly these paths of the receivers. No delivery of an earlier measurement is pending after it. */
export async function onlyWebhooks(parts: Parts, eventType: string, paths: readonly string[]): Promise<void> {
  const { sql } = parts.bench.db
  await sql`delete from relata.webhooks`
  for (const table of ['deliveries', 'delivery_attempts', 'events']) await sql.unsafe(`delete from relata.${table}`)
  for (const table of ['webhooks', 'deliveries', 'delivery_attempts', 'events'])
    await sql.unsafe(`vacuum analyze relata.${table}`)
  await sql`checkpoint`
  for (const path of paths) {
    const subscriptions = [{ event_type: eventType, filter: null }]
    await request(parts, 'POST', '/v2/webhooks', { target_url: `${parts.receivers}${path}`, subscriptions })
  }
  await ask(parts, '/seen')
}

/** Requests a report from the receivers. */
export async function ask<T>({ receivers }: Pick<Parts, 'receivers'>, path: string): Promise<T> {
  return (await fetch(`${receivers}${path}`)).json() as Promise<T>
}

export const createCompany = async (parts: Pick<Parts, 'service'>, name: string): Promise<string> =>
  (await request(parts, 'POST', '/v2/objects/companies/records', { values: { name } })).data.id.record_id ?? ''

/** Returns the quantile of sorted numbers. */
export const quantile = (ordered: readonly number[], share: number): number =>
  ordered[Math.floor(ordered.length * share)] ?? 0
