/** A service for tests of webhooks that can be killed. Tests insert change events directly into the outbox. */

import { freshDatabase, openReader, type Reader } from '../../support/service/database'
import { keyIn, startProcess, type RunningProcess } from '../../support/service/start'

// A test that names a wrong member gets undefined and fails.
// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any

export interface Webhook {
  readonly id: string
  readonly secret: string
}

export interface Fixture {
  /** Sends a request and returns the body. Targets here are not https, as the contract requires, so responses are not validated. */
  request(method: string, path: string, body?: unknown): Promise<Body>
  /** A connection to the database beside the service. */
  readonly reader: Reader
  /** The process that serves requests. */
  readonly running: RunningProcess
  readonly key: string
  /** Starts another process on the same database. */
  startAnother(): Promise<RunningProcess>
  /** Kills the service if it still runs, and starts another. */
  restart(): Promise<void>
  webhook(target: string, events?: readonly string[]): Promise<Webhook>
  /** Inserts one event for each of these ids into the outbox, in one transaction. */
  happen(ids: readonly string[]): Promise<void>
  deliveries(webhookId: string): Promise<Body[]>
  /** Stops everything in order and returns the exit code of the service. */
  close(): Promise<number>
}

export async function startFixture(settings: Readonly<Record<string, string>> = {}): Promise<Fixture> {
  const database = await freshDatabase()
  const start = () =>
    startProcess({
      RELATA_ALLOW_PRIVATE_TARGETS: '1',
      RELATA_WEBHOOK_RATE: '0',
      ...settings,
      DATABASE_URL: database.url,
    })
  let running = await start()
  const key = keyIn(running.output())
  const reader = openReader(database.url)
  const request = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await fetch(running.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  return {
    request,
    reader,
    key,
    get running() {
      return running
    },
    startAnother: start,
    async restart() {
      await running.kill()
      running = await start()
    },
    async webhook(target, events = ['list.created']) {
      const subscriptions = events.map((event_type) => ({ event_type, filter: null }))
      const { data } = await request('POST', '/v2/webhooks', { data: { target_url: target, subscriptions } })
      return { id: data.id.webhook_id, secret: data.secret }
    },
    async happen(ids) {
      await reader`
        insert into relata.outbox (workspace_id, occurred_at, actor, events)
        select w.id, now(), 0, json_build_array(json_build_object(
          'event_type', 'list.created', 'id', json_build_object('list_id', i)))
        from relata.workspaces w, unnest(string_to_array(${ids.join(',')}, ',')) i`
    },
    async deliveries(webhookId) {
      return (await request('GET', `/v2/webhooks/${webhookId}/deliveries?limit=100`)).data
    },
    async close() {
      const code = await running.stop()
      await reader.end()
      await database.drop()
      return code
    },
  }
}
