/**
 * Moves a workspace to another service: refuses writes, copies it, and lets the service answer with the new address. Each step finds out
 * whether it is done, so a command that was killed is run again. See docs/decisions/moves-of-workspaces.md.
 */

import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { COMMAND_LINE } from '#access/audit-log/audit'
import { isSameCluster } from '#access/installation/identity'
import { deleteWorkspace } from '#api/workspace-deletion/deletion'
import { beginMove, cancelMove } from '#api/workspace-moves/moves'
import { errorCodeOf } from '#base/logging/log-error'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Database, Transaction } from '#db/connect'
import { refuseWrongKeys } from '#db/encrypted-columns'
import { createSchemaCheck } from '#db/migrate'
import { COMMAND } from '#db/program'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { webhookRow } from '#events/webhooks/delivery'
import {
  CommandError,
  type ConfiguredContext,
  defineConfiguredCommand,
  getNamedWorkspace,
  UsageError,
} from '#run/cli/command'
import { exportWorkspace } from '#run/cli/transfer/export/export-workspace'
import { importWorkspace } from '#run/cli/transfer/import/import-workspace'
import { openExport } from '#run/cli/transfer/import/open-export'
import { createProgress } from '#run/cli/transfer/progress'
import { type Config, readConfig } from '#run/config/config'
import { openBlobStore, openCommandDatabase } from '#run/startup/open-database'

export const workspaceMoveTo = defineConfiguredCommand({
  name: 'workspace move-to',
  tables: 'migrated',
  summary:
    'Moves a workspace to another service. Meanwhile it can be read, and afterwards requests get the new address.',
  positionals: ['<slug>'],
  options: {
    settings: {
      kind: 'text',
      value: '<file>',
      description:
        'The settings of the other service, NAME=value in each line: its database, secret key, files and address.',
    },
    folder: {
      kind: 'text',
      value: '<folder>',
      description: 'Where the copy is kept meanwhile. Default: the folder for temporary files.',
    },
    cancel: { kind: 'flag', description: 'Lets the workspace be written here again, before it has moved.' },
  },
  async runConfigured({ options, positionals: [slug = ''] }, context) {
    const workspace = await getNamedWorkspace(context.db, slug)
    if (options.cancel) return cancel(workspace, context)
    if (options.settings === undefined) throw new UsageError('Give --settings or --cancel.')
    const settings = await readSettings(options.settings)
    const target = await openTarget(settings, context)
    try {
      await move(workspace, target, { ...context, folder: options.folder ?? tmpdir() })
    } finally {
      await target.close()
    }
    return 0
  },
})

interface Workspace {
  readonly id: string
  readonly slug: string
}

interface Target {
  readonly db: Database
  readonly blobs: BlobStore
  /** The address of the other service. */
  readonly address: string
  close(): Promise<void>
}

async function cancel({ id, slug }: Workspace, { db, print }: ConfiguredContext): Promise<number> {
  if (!(await cancelMove(db, id))) throw new CommandError(`The workspace ${slug} is not moving.`)
  print(`The workspace ${slug} can be written again. If it is at the other service already, delete it there.`)
  return 0
}

/** Throws `UsageError` for settings without an address. */
async function readSettings(file: string): Promise<Config> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`The file ${file} cannot be read: ${errorCodeOf(error) ?? String(error)}.`)
  })
  const env = parseEnv(text)
  if (!env.RELATA_BASE_URL) throw new UsageError(`The file ${file} has no RELATA_BASE_URL, to which requests are sent.`)
  return readConfig(env)
}

/** Throws `CommandError` for a service that the workspace cannot move to. */
async function openTarget(settings: Config, { config, db, print }: ConfiguredContext): Promise<Target> {
  if (sharesFiles(config, settings))
    throw new CommandError(
      'Both services store files at the same place: the removal of the workspace here would remove them.',
    )
  const opened = await openCommandDatabase(settings, { tables: 'as it is', log: print })
  try {
    if ((await createSchemaCheck(opened.db)()) !== undefined)
      throw new CommandError('The other service has another version of Relata: upgrade one of them, and start it once.')
    // What the wrong key encrypts could never be read.
    await refuseWrongKeys(opened.db, opened.secretKeys, true)
    if (await isSameCluster(db.sql, opened.db.sql)) throw new CommandError('The other service has the same database.')
    return { ...opened, blobs: openBlobStore(settings, opened.db, opened.process), address: settings.baseUrl }
  } catch (error) {
    await opened.close()
    throw error
  }
}

const sharesFiles = (one: Config, other: Config): boolean =>
  one.filesBucket === undefined
    ? other.filesBucket === undefined && resolve(one.filesDir) === resolve(other.filesDir)
    : one.filesBucket === other.filesBucket && one.filesEndpoint === other.filesEndpoint

interface MoveContext extends ConfiguredContext {
  readonly folder: string
}

async function move({ id, slug }: Workspace, target: Target, context: MoveContext): Promise<void> {
  const { db, now, print } = context
  const { address } = target
  const isCopied = await isThere(target.db, { id, slug })
  const begun = await beginMove(db, id, address)
  if (begun !== address)
    throw new CommandError(
      `The workspace ${slug} is moving to ${begun}; to end that: ${COMMAND} workspace move-to ${slug} --cancel.`,
    )
  print(`The workspace ${slug} can only be read now. To end that: ${COMMAND} workspace move-to ${slug} --cancel`)
  if (isCopied) print(`It is at ${address} already.`)
  else await copy({ id, slug }, target, context)
  const waiting = await waitForDeliveries(db, id)
  const removedAt = await deleteWorkspace(db, id, { ...COMMAND_LINE, movedTo: address, now: now() })
  print(`The workspace ${slug} has moved to ${address}. Requests here get 410 with this address.`)
  print(
    `Members without an account there sign in after: ${COMMAND} account reset-password <email>, at the other service.`,
  )
  if (waiting > 0) print(`${waiting} deliveries of webhooks that waited for another attempt are not sent any more.`)
  print(
    `It is removed here on ${new Date(removedAt / 1000).toISOString().slice(0, 10)}, or with: ${COMMAND} workspace delete ${slug} --permanent`,
  )
}

/** Whether an earlier run has copied the workspace. Throws `CommandError` if it moved away from there, or another one has the slug. */
async function isThere({ control }: Database, { id, slug }: Workspace): Promise<boolean> {
  const found = await control
    .selectFrom('relata.all_workspaces')
    .select(['id', 'deleted_at'])
    .where(({ eb, or }) => or([eb('id', '=', id), eb('slug', '=', slug)]))
    .execute()
  if (found.some((each) => each.id !== id))
    throw new CommandError(`The other service has another workspace ${slug}, which may be deleted.`)
  if (found.some(({ deleted_at }) => deleted_at !== null))
    throw new CommandError(
      `The workspace is deleted at the other service; remove it there for good: ${COMMAND} workspace delete ${slug} --permanent.`,
    )
  return found.length > 0
}

async function copy({ id, slug }: Workspace, target: Target, context: MoveContext): Promise<void> {
  const { db, blobs, now, print } = context
  const progress = createProgress(process.stderr)
  const folder = join(context.folder, `relata-move-${id}`)
  // That of a command that was killed.
  await rm(folder, { recursive: true, force: true })
  try {
    await exportWorkspace({ db, blobs, now, workspaceId: id, folder, progress })
    const manifest = await openExport(folder, progress)
    const insertMissing = (tx: Transaction) => insertMissingOf(id, db, { tx, db: target.db })
    await importWorkspace({
      db: target.db,
      blobs: target.blobs,
      now,
      folder,
      manifest,
      workspace: manifest.workspace,
      progress,
      move: { id, insertMissing },
    })
    progress.done()
    const lines = manifest.files.reduce((sum, file) => sum + file.lines, 0)
    print(`Copied the workspace ${slug} to ${target.address}: ${lines} lines and ${manifest.blobs.count} files.`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The other service, in the transaction of the import. */
interface Arrival {
  readonly tx: Transaction
  readonly db: Database
}

/** Inserts what exports lack: the API keys, and the secrets of the workspace and of webhooks. */
async function insertMissingOf(id: string, source: Database, arrival: Arrival): Promise<void> {
  await insertOwnSecrets(id, source, arrival)
  await insertSecretsOfWebhooks(id, source, arrival, await insertKeys(id, source, arrival))
}

/** Links and cursors that were signed before stay valid. */
async function insertOwnSecrets(id: string, source: Database, { tx, db }: Arrival): Promise<void> {
  const row = { table: 'workspaces', key: [id] } as const
  const stored = await source.control
    .selectFrom('relata.workspaces')
    .select(['secret', 'download_secret'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const encrypt = (text: string) => db.secrets.encrypt(tx, row, source.secrets.decrypt(row, text))
  const secret = await encrypt(stored.secret)
  const download_secret = stored.download_secret === null ? null : await encrypt(stored.download_secret)
  await controlQueriesIn(tx)
    .updateTable('relata.workspaces')
    .set({ secret, download_secret })
    .where('id', '=', id)
    .execute()
}

/** Returns the ids of the clients that have the keys. */
async function insertKeys(id: string, source: Database, { tx }: Arrival): Promise<ReadonlySet<string>> {
  const keys = await source.control
    .selectFrom('relata.tokens')
    .selectAll()
    .where(equal({ workspace_id: id }))
    .where('grant_id', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
  for (const key of keys) await controlQueriesIn(tx).insertInto('relata.tokens').values(key).execute()
  return new Set(keys.map(({ client_id }) => client_id))
}

/** Webhooks of OAuth apps stay inactive, because the apps stay where they are. */
async function insertSecretsOfWebhooks(
  id: string,
  source: Database,
  { tx, db }: Arrival,
  clients: ReadonlySet<string>,
): Promise<void> {
  const webhooks = await source.control
    .selectFrom('relata.webhooks')
    .select(['id', 'client_id', 'secret', 'previous_secret', 'previous_secret_until', 'status'])
    .where('workspace_id', '=', id)
    .execute()
  for (const webhook of webhooks) {
    if (webhook.client_id !== null && !clients.has(webhook.client_id)) continue
    const row = webhookRow(id, webhook.id)
    const encrypt = (text: string) => db.secrets.encrypt(tx, row, source.secrets.decrypt(row, text))
    const secret = await encrypt(webhook.secret)
    const previous_secret = webhook.previous_secret === null ? null : await encrypt(webhook.previous_secret)
    const { previous_secret_until } = webhook
    const status = webhook.status === 'inactive' ? 'inactive' : 'active'
    await controlQueriesIn(tx)
      .updateTable('relata.webhooks')
      .set({ secret, previous_secret, previous_secret_until, status })
      .where(equal({ workspace_id: id, id: webhook.id }))
      .execute()
  }
}

const DELIVERIES_TIMEOUT_MS = 30_000

/** Waits until the first attempts at the deliveries are made by a running service. Returns how many deliveries are pending then. */
async function waitForDeliveries({ control }: Database, id: string): Promise<number> {
  const giveUpAt = performance.now() + DELIVERIES_TIMEOUT_MS
  const pending = control
    .selectFrom('relata.deliveries')
    .select(({ fn }) => [
      fn.countAll<string>().as('all'),
      fn.count<string>('attempts').filterWhere('attempts', '=', 0).as('new'),
    ])
    .where(equal({ workspace_id: id, status: 'waiting' }))
  for (;;) {
    const counted = await pending.executeTakeFirstOrThrow()
    if (Number(counted.new) === 0 || performance.now() > giveUpAt) return Number(counted.all)
    await Bun.sleep(200)
  }
}
