/** Starts a server with the API of S3 and one bucket, whose objects are in a temporary folder. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { S3Settings } from '../blobs/s3-storage'

export interface S3Server {
  readonly settings: S3Settings
  close(): Promise<void>
}

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'relata-s3-'))
  const bucket = 'files'
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
    // It computes the signature of a list without the slash after the bucket, which Bun sends and signs.
    allowMismatchedSignatures: true,
  })
  const { port } = await server.run()
  return {
    // The server has this key.
    settings: {
      bucket,
      endpoint: `http://127.0.0.1:${port}`,
      region: undefined,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
