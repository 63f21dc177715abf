/** Opens the database of the settings: connects, checks the server, migrates the control tables. */

import { connect, connectionName, type Database, explainConnectionError } from '#db/connect'
import { checkServer, refuseHalfRestored } from '#db/check-server'
import { type EmbeddedDatabase, joinEmbedded, startEmbedded } from '#db/embedded'
import type { SupervisorEvents } from '#db/embedded/supervise'
import { migrate } from '#db/migrate'
import type { Config } from '#run/config/config'
import { resolve } from 'node:path'
import { type BlobStore, createBlobStore, foldersIn } from '#crm/blobs/blob-store'
import type { ByteStorage } from '#crm/blobs/byte-storage'
import { createFolderStorage } from '#crm/blobs/folder-storage'
import { createS3Storage } from '#crm/blobs/s3-storage'

export interface OpenDatabase {
  readonly db: Database
  readonly url: string
  /** The id of this process. The name of its connections contains it. */
  readonly process: string
  /** The data directory of the embedded PostgreSQL that this process runs. */
  readonly clusterDirectory: string | undefined
  close(): Promise<void>
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'databaseConnections' | 'queryTimeout'>

/** For the service, which starts the embedded PostgreSQL and stops it at its end. */
export async function openServiceDatabase(
  config: DatabaseConfig,
  supervision: SupervisorEvents,
): Promise<OpenDatabase> {
  const { dataDir, databaseUrl } = config
  const source = databaseUrl
    ? external(databaseUrl)
    : await startEmbedded({ dataDir, purpose: 'service', ...supervision })
  return open(source, { max: config.databaseConnections, querySeconds: config.queryTimeout, log: console.log })
}

/** For commands, which use the embedded PostgreSQL of a running service or start it. */
export async function openCommandDatabase(
  { databaseUrl, dataDir, queryTimeout }: DatabaseConfig,
  { tables, log }: Pick<OpenOptions, 'tables' | 'log'>,
): Promise<OpenDatabase> {
  const source = databaseUrl ? external(databaseUrl) : await joinEmbedded(dataDir)
  return open(source, { max: COMMAND_CONNECTIONS, querySeconds: queryTimeout, tables, log })
}

const COMMAND_CONNECTIONS = 4

interface OpenOptions {
  readonly max: number
  readonly querySeconds: number
  /** `as it is` opens a database for a restore, which makes the control tables itself. */
  readonly tables?: 'migrated' | 'as it is'
  /** Gets the lines about migrations. */
  readonly log: (line: string) => void
}

const external = (url: string): EmbeddedDatabase => ({ url, stop: async () => {} })

async function open(
  source: EmbeddedDatabase,
  { max, querySeconds, tables = 'migrated', log }: OpenOptions,
): Promise<OpenDatabase> {
  const process = crypto.randomUUID()
  const applicationName = connectionName(process)
  const db = connect(source.url, { max, applicationName, queryTimeoutMs: querySeconds * 1000 })
  const close = async () => {
    await db.close()
    await source.stop()
  }
  try {
    await checkServer(db)
    if (tables === 'migrated') {
      await refuseHalfRestored(db)
      await migrate(db, { log })
    }
    return { db, url: source.url, process, clusterDirectory: source.clusterDirectory, close }
  } catch (error) {
    await close()
    throw explainConnectionError(error, source.url)
  }
}

// Makes the blob store of the settings.

/** `process` is the name of this process. */
export function openBlobStore(config: Config, db: Database, process: string): BlobStore {
  const folders = foldersIn(resolve(config.filesDir))
  const bytes = findBucket(config) ?? createFolderStorage(folders.bytes)
  return createBlobStore({ db, process, temporaryFolder: folders.temporary, bytes })
}

function findBucket(config: Config): ByteStorage | undefined {
  const { filesBucket, filesAccessKeyId, filesSecretAccessKey } = config
  // `readConfig` requires the access key of a bucket.
  if (filesBucket === undefined || filesAccessKeyId === undefined || filesSecretAccessKey === undefined)
    return undefined
  return createS3Storage({
    bucket: filesBucket,
    endpoint: config.filesEndpoint,
    region: config.filesRegion,
    accessKeyId: filesAccessKeyId,
    secretAccessKey: filesSecretAccessKey,
  })
}
