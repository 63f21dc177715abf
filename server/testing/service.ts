/** A service for a test file: its own database, and one workspace with an admin and a key with all scopes. */

import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '#db/connect'
import { createMember } from '#access/members/members'
import { createOpenIdClient } from '#access/providers/openid-client'
import { createToken } from '#access/tokens/tokens'
import { type App, createApp } from '../app'
import { createBlobStore, foldersIn } from '#crm/blobs/blob-store'
import { createFolderStorage } from '#crm/blobs/folder-storage'
import { createModelCache } from '#engine/data-model/cache'
import type { ChangeEventBody } from '#vocabulary/event-types'
import { publishBatch } from '#events/feed/publish'
import { createRequestCounter } from '#api/http/monitoring/observe-requests'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import type { Email, Mailer } from '#crm/email/send-email'
import type { AppContext, ServiceSettings } from '#context'
import { createSqlRunner } from '#engine/sql/run/sql-runner'
import { READ_WRITE_SCOPES, type Scope } from '#vocabulary/scopes'
import { systemClock, type Clock, type Micros } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { useCheapPasswords } from './cheap-passwords'
import { createClient, type Client } from './client'
import { createPictureClient } from '#crm/record-pictures/picture-client'
import { createVideoClient } from '#api/resources/call-recordings/fetch/video-client'
import { createAccountServers } from '#transfer/connected-accounts/servers'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { testDatabase } from './database'

/** The default setting. No test has as many rows. */
const FEW_ROWS = 20_000

export interface TestWorkspace {
  readonly workspaceId: string
  readonly member: { readonly id: string; readonly email_address: string }
  readonly key: string
}

export interface TestService extends TestWorkspace {
  readonly db: Database
  readonly url: string
  readonly appContext: AppContext
  readonly app: App
  /** The folder of stored files. It does not exist before the first upload. */
  readonly filesFolder: string
  /** Sends a request with the key of the first workspace, unless `options` name another one. */
  readonly request: Client
  anotherWorkspace(): Promise<TestWorkspace>
  /** Creates a key of the first workspace with exactly these scopes. By default, its admin authorizes it. */
  keyWith(scopes: readonly Scope[], authorizedBy?: string): Promise<string>
  /** Creates a token that acts for a member of the first workspace, by default for its admin. */
  memberKeyWith(scopes: readonly Scope[], memberId?: string): Promise<string>
  /** The sent emails, the oldest first. */
  readonly sentEmails: readonly Email[]
  /** Publishes the outbox, and returns all events that were published since the last call, in order. */
  events(): Promise<ChangeEventBody[]>
  /** Stops the clock at this time. Without a time, the clock runs again. */
  setNow(micros?: Micros): void
  close(): Promise<void>
}

const SETTINGS: ServiceSettings = {
  brand: 'relata',
  issuer: 'relata.com',
  appUrl: 'http://localhost:8080',
  trustedProxies: 0,
  appActor: 'app',
  bodyLimit: 25_000_000,
  importLimit: 1_000_000,
  upload: { file: 1_000_000, idleMs: 30_000, totalMs: 30_000 },
  objectQuota: 50,
  memberQuota: Number.POSITIVE_INFINITY,
  trashDays: 30,
  sendLimit: 200,
  strictContract: false,
}

/** `parts` returns replacements for parts of the `AppContext`, made from its database, its clock and the URL of the database. */
export async function testService(
  settings: Partial<ServiceSettings> = {},
  parts?: (db: Database, now: Clock, url: string) => Partial<AppContext>,
): Promise<TestService> {
  useCheapPasswords()
  const { db, url, tablesUrl, drop } = await testDatabase()
  const models = await createModelCache(db)
  const running = systemClock()
  let stoppedAt: Micros | undefined
  const now = () => stoppedAt ?? running()
  const indexes = createIndexAdvisor({ db, now, fromRows: FEW_ROWS })
  const sentEmails: Email[] = []
  const mail: Mailer = { isDelivered: false, send: async (sentEmail) => void sentEmails.push(sentEmail), close() {} }
  const filesFolder = join(tmpdir(), `relata-files-${crypto.randomUUID()}`)
  const folders = foldersIn(filesFolder)
  const sqlRunner = createSqlRunner({ db, url: tablesUrl, connections: 4, timeoutMs: 30_000 })
  const bytes = createFolderStorage(folders.bytes)
  const appContext: AppContext = {
    db,
    blobs: createBlobStore({ db, process: crypto.randomUUID(), temporaryFolder: folders.temporary, bytes }),
    models,
    now,
    indexes,
    requests: createRequestCounter(),
    mail,
    sqlRunner,
    resolveTxt: () => Promise.resolve([]),
    pictures: createPictureClient(createTargetPolicy({ allowPrivate: true })),
    videos: createVideoClient(createTargetPolicy({ allowPrivate: true })),
    providers: createOpenIdClient(createTargetPolicy({ allowPrivate: true })),
    accountServers: createAccountServers({ targets: createTargetPolicy({ allowPrivate: true }), allowPrivate: true }),
    settings: { ...SETTINGS, ...settings },
    ...parts?.(db, now, url),
  }

  const first = await seedWorkspace(appContext, 1)
  let workspaces = 1
  const app = createApp(appContext)
  return {
    ...first,
    db,
    url,
    appContext,
    app,
    filesFolder,
    sentEmails,
    request: createClient(app, first.key),
    anotherWorkspace: () => seedWorkspace(appContext, ++workspaces),
    keyWith: async (scopes, authorizedBy = first.member.id) =>
      (await makeKey(appContext, first.workspaceId, authorizedBy, scopes)).token,
    async memberKeyWith(scopes, memberId = first.member.id) {
      const { id, token } = await makeKey(appContext, first.workspaceId, memberId, scopes)
      await db.sql`update relata.tokens set level = 'user' where id = ${id}`
      return token
    },
    setNow: (micros) => {
      stoppedAt = micros
    },
    events: listener(db, now),
    async close() {
      await appContext.indexes.close()
      await models.close()
      await appContext.sqlRunner?.close()
      await drop()
      await rm(filesFolder, { recursive: true, force: true })
    },
  }
}

function listener(db: Database, now: Clock): TestService['events'] {
  let last = '0'
  return async () => {
    while ((await publishBatch(db, now, async () => {})) > 0);
    const rows = await db.sql<{ position: string; body: string }[]>`
      select position, body from relata.events where position > ${last} order by position`
    last = rows.at(-1)?.position ?? last
    return rows.map(({ body }) => JSON.parse(body) as ChangeEventBody) // the publisher wrote this form
  }
}

async function seedWorkspace(appContext: AppContext, number: number): Promise<TestWorkspace> {
  const { db, now } = appContext
  const workspace = await createWorkspace(db, { name: `Workspace ${number}`, slug: `workspace-${number}`, now: now() })
  const email_address = `admin-${number}@example.com`
  const person = {
    first_name: 'Ada',
    last_name: 'Lovelace',
    email_address,
    access_level: 'admin',
    account_id: null,
  } as const
  const member = await createMember(db, workspace.id, person, now())
  const { token } = await makeKey(appContext, workspace.id, member.id, READ_WRITE_SCOPES)
  return { workspaceId: workspace.id, member: { id: member.id, email_address }, key: token }
}

const makeKey = ({ db, now }: AppContext, workspaceId: string, authorizedBy: string, scopes: readonly Scope[]) =>
  createToken(db, { workspaceId, name: 'Test key', scopes, authorizedBy, now: now() })
