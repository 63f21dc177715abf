/** A service with webhooks of its own, which may be killed; what happened is put where writes leave it. */

import { freshDatabase, openReader, type Reader } from '../../support/service/database'
import { keyIn, startProcess, type RunningProcess } from '../../support/service/start'

// Tests name the members they expect; a wrong one is undefined and fails there.
// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any

export interface Webhook {
  readonly id: string
  readonly secret: string
}

export interface Fixture {
  /** The body of an answer. Targets here are not https, as the contract has them, so answers are not held against it. */
  request(method: string, path: string, body?: unknown): Promise<Body>
  /** Into the database, beside the service. */
  readonly reader: Reader
  /** The service that answers. */
  readonly running: RunningProcess
  readonly key: string
  /** One more process on the same database. */
  startAnother(): Promise<RunningProcess>
  /** Kills the service, unless somebody did already, and starts another. */
  restart(): Promise<void>
  webhook(target: string, events?: readonly string[]): Promise<Webhook>
  /** One event for each of these ids, as one transaction leaves them. */
  happen(ids: readonly string[]): Promise<void>
  deliveries(webhookId: string): Promise<Body[]>
  /** Ends everything in order and gives the exit code of the service. */
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
