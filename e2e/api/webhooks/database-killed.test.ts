/** The embedded PostgreSQL is killed during delivery. The service starts it again, and every event arrives. */

import { afterAll, expect, test } from 'bun:test'
import { dataFolder } from '../../support/service/data-folder'
import { keyIn, type RunningProcess, startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { numbered, startCounter } from './lost-nothing'

const EVENTS = 1_000
const folder = dataFolder()
let running: RunningProcess | undefined

afterAll(async () => {
  const code = await running?.stop()
  folder.remove()
  expect(code).toBe(0)
})

test('every event arrives when PostgreSQL is killed twice', async () => {
  running = await startProcess({
    RELATA_DATA_DIR: folder.path,
    RELATA_ALLOW_PRIVATE_TARGETS: '1',
    RELATA_WEBHOOK_RATE: '0',
  })
  const receiver = await startCounter()
  await makeWebhook(running, `http://127.0.0.1:${receiver.port}/hook`)
  const expected = numbered('d', EVENTS)
  await happen(expected)
  for (const share of [0.1, 0.5]) {
    await until(() => receiver.distinct() >= EVENTS * share, { why: running.output })
    await folder.killDatabase(running.output)
  }
  await until(() => receiver.distinct() === EVENTS, { why: running.output })
  expect(receiver.faults(expected)).toEqual([])
  await until(noneWaits, { why: running.output })
  receiver.close()
})

async function makeWebhook({ url, output }: RunningProcess, target_url: string): Promise<void> {
  const answer = await fetch(`${url}/v2/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keyIn(output())}` },
    body: JSON.stringify({ data: { target_url, subscriptions: [{ event_type: 'list.created', filter: null }] } }),
  })
  expect(answer.status).toBe(200)
}

const happen = (ids: readonly string[]) =>
  folder.withReader(
    (reader) => reader`
      insert into relata.outbox (workspace_id, occurred_at, actor, events)
      select w.id, now(), 0, json_build_array(json_build_object(
        'event_type', 'list.created', 'id', json_build_object('list_id', i)))
      from relata.workspaces w, unnest(string_to_array(${ids.join(',')}, ',')) i`,
  )

/** Returns whether no delivery is pending; false also while PostgreSQL starts. */
async function noneWaits(): Promise<boolean> {
  const rows = await folder
    .withReader((reader) => reader`select from relata.deliveries where status <> 'succeeded' limit 1`)
    .catch(() => undefined)
  return rows?.length === 0
}
