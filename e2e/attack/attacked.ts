/** The service under attack, with a probe inside, two workspaces, and one thing of each kind in each workspace. */

import { createRequest, type Request } from '../support/http/client'
import { freshDatabase } from '../support/service/database'
import { openBrowser, SETTINGS, type Browser } from '../support/http/oauth'
import { keyIn, startProcess } from '../support/service/start'
import { findFaults, findSlowness, type HostileRequest } from './find-faults'
import { type ConsoleIds, type Ids, makeConsoleFixtures, makeFixtures } from './fixtures'
import { createMonitor, PROBE } from './loop-monitor'
import { listOperations, type Operation } from './operations'

export interface Attacked {
  readonly url: string
  readonly key: string
  readonly request: Request
  readonly browser: Browser
  readonly ids: Ids & ConsoleIds
  readonly operations: readonly Operation[]
  /** Returns the ids of another workspace, which is created at the first call. The key of the first workspace must not see it. */
  openForeign(): Promise<Ids>
  /** Creates a key of the first workspace with these scopes. */
  keyWith(scopes: readonly string[]): Promise<string>
  /** Returns the faults of the responses, and of the service after them. */
  faultsOf(requests: Iterable<HostileRequest>): Promise<string[]>
  /** Returns a fault if the work blocks the event loop of the service. */
  slownessOf(name: string, work: () => Promise<unknown>): Promise<string[]>
  close(): Promise<number>
}

/** The names and values of the other workspace contain this text. */
export const FOREIGN_MARK = 'unseen'

export async function startAttacked(): Promise<Attacked> {
  const database = await freshDatabase()
  const monitor = createMonitor()
  const probe = { file: PROBE, onMessage: monitor.onMessage }
  const settings = { ...SETTINGS, DATABASE_URL: database.url }
  const service = await startProcess(settings, probe)
  const { url } = service
  const key = keyIn(service.output())
  const request = createRequest(url, key)
  const browser = await openBrowser({ url })
  const ids = await makeFixtures(request, 'own')
  const consoleIds = await makeConsoleFixtures(browser, url, ids.workspace)
  let foreign: Promise<Ids> | undefined
  const target = { url, monitor: monitor.of(service) }
  const all = { ...ids, ...consoleIds }
  return {
    url,
    key,
    request,
    browser,
    ids: all,
    openForeign: () => (foreign ??= openForeign(browser, url)),
    operations: await listOperations(request, all),
    keyWith: (scopes) => makeKey(browser, ids.workspace, scopes),
    async faultsOf(requests) {
      const before = service.output().length
      const faults = await findFaults(target, requests)
      const errors =
        service
          .output()
          .slice(before)
          .match(/^.*"level":"error".*$/gm) ?? []
      return [...faults, ...errors.map((line) => line.slice(0, 500)), ...(await deathOf(request))]
    },
    slownessOf: (name, work) => findSlowness(target.monitor, name, work),
    async close() {
      const code = await service.stop()
      await database.drop()
      return code
    },
  }
}

async function openForeign(browser: Browser, url: string): Promise<Ids> {
  const workspace = { name: FOREIGN_MARK, slug: FOREIGN_MARK }
  const { data } = await browser.ask('POST', '/workspaces', workspace)
  const key = await makeKey(
    browser,
    String(data.id),
    ALL_AREAS.map((area) => `${area}:read-write`),
  )
  return makeFixtures(createRequest(url, key), FOREIGN_MARK)
}

async function makeKey({ ask }: Browser, workspace: string, scopes: readonly string[]): Promise<string> {
  const { status, data } = await ask('POST', `/workspaces/${workspace}/keys`, { name: 'Attack', scopes })
  if (status !== 200) throw new Error(`No key: ${status} ${JSON.stringify(data)}`)
  return String(data.token)
}

/** Returns a fault if the service does not answer any more. */
async function deathOf(request: Request): Promise<string[]> {
  const statuses = await Promise.all(
    ['/healthz', '/readyz', '/v2/self', '/v2/objects'].map(async (path) => [path, (await request('GET', path)).status]),
  )
  return statuses.filter(([, status]) => status !== 200).map(([path, status]) => `Afterwards ${path} is ${status}.`)
}

export const ALL_AREAS = [
  'user_management',
  'record_permission',
  'object_configuration',
  'list_entry',
  'list_configuration',
  'activity_record',
  'activity_configuration',
  'note',
  'task',
  'comment',
  'meeting',
  'call_recording',
  'file',
  'email',
  'sequence_unsubscribe',
  'webhook',
] as const
