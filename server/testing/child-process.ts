/** Runs the service, or a part of it, in a process of its own that a test can kill. */

import { join } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import type { S3Settings } from '#crm/blobs/s3-storage'
import { SECRET_KEY_SETTING } from './database'
import type { TestService } from './service'

export interface ServiceProcess {
  readonly url: string
  readonly pid: number
  /** Kills the process without warning, and waits until it has ended. */
  kill(): Promise<void>
}

type Settings = Readonly<Record<string, string>>

/** Starts a process of the service on the database and the folder of a test service. */
export async function startServiceProcess(service: TestService, settings: Settings = {}): Promise<ServiceProcess> {
  const port = await findFreePort(0)
  const child = spawn(service, '../main.ts', { PORT: String(port), RELATA_ALLOW_PRIVATE_TARGETS: '1', ...settings })
  for await (const chunk of child.stdout) if (Buffer.from(chunk).includes('listens on')) break
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, kill: () => kill(child) }
}

/** Starts a process that deletes all blobs without references. */
export function startBlobDeletion(service: TestService, settings: Settings): Pick<ServiceProcess, 'kill'> {
  const child = spawn(service, 'delete-blobs.ts', settings)
  return { kill: () => kill(child) }
}

/** Starts a command of the command line. */
export function startCommand(service: TestService, words: readonly string[]): Pick<ServiceProcess, 'kill'> {
  const child = spawn(service, '../run/cli/main.ts', {}, words)
  return { kill: () => kill(child) }
}

/** The settings of a bucket. */
export const bucketSettings = ({ bucket, endpoint = '', accessKeyId, secretAccessKey }: S3Settings): Settings => ({
  RELATA_FILES_S3_BUCKET: bucket,
  RELATA_FILES_S3_ENDPOINT: endpoint,
  RELATA_FILES_S3_ACCESS_KEY_ID: accessKeyId,
  RELATA_FILES_S3_SECRET_ACCESS_KEY: secretAccessKey,
})

function spawn({ url, filesFolder }: TestService, file: string, settings: Settings, words: readonly string[] = []) {
  const env = {
    PATH: process.env.PATH,
    ...SECRET_KEY_SETTING,
    DATABASE_URL: url,
    RELATA_FILES_DIR: filesFolder,
    ...settings,
  }
  const preload = ['--preload', join(import.meta.dir, 'prepare-process.ts')]
  // The process ends also with a test process that is killed.
  const command = [process.execPath, '--no-orphans', ...preload, join(import.meta.dir, file), ...words]
  return Bun.spawn(command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function kill(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGKILL')
  await child.exited
}
