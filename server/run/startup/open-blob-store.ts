/** Makes the blob store of the settings. */

import { resolve } from 'node:path'
import type { Database } from '#db/connect'
import { type BlobStore, createBlobStore, foldersIn } from '#crm/blobs/blob-store'
import type { ByteStorage } from '#crm/blobs/byte-storage'
import { createFolderStorage } from '#crm/blobs/folder-storage'
import { createS3Storage } from '#crm/blobs/s3-storage'
import type { Config } from '#run/config/config'

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
