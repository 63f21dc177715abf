/** Where the bytes of blobs are: a folder (`folder-storage.ts`) or a bucket (`s3-storage.ts`). */

export interface BlobKey {
  readonly workspaceId: string
  /** The SHA-256 of the bytes. */
  readonly digest: Buffer
}

/** From `start` up to, but not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface ByteStorage {
  /** Stores the content of a local file under a key, whole or not at all. Replaces what is stored there. The local file may be moved. */
  publish(key: BlobKey, path: string): Promise<void>
  /** Returns the bytes of a range. Reading them fails when nothing is stored under the key. */
  read(key: BlobKey, range: ByteRange): ReadableStream<Uint8Array>
  /** Returns the number of stored bytes; undefined when nothing is stored under the key. */
  findSize(key: BlobKey): Promise<number | undefined>
  /** Succeeds also when nothing is stored under the key. */
  remove(key: BlobKey): Promise<void>
  /** Lists the keys of all stored blobs. */
  list(): AsyncIterable<BlobKey>
}

/** The name of a blob in a storage: workspace, the first byte of the digest, the digest. */
export function storageNameOf({ workspaceId, digest }: BlobKey): string {
  const hex = digest.toString('hex')
  return `${workspaceId}/${hex.slice(0, 2)}/${hex}`
}

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/[0-9a-f]{2}\/([0-9a-f]{64})$/

/** Returns undefined for the name of something else. */
export function parseName(name: string): BlobKey | undefined {
  const [, workspaceId, hex] = NAME.exec(name) ?? []
  return workspaceId === undefined || hex === undefined ? undefined : { workspaceId, digest: Buffer.from(hex, 'hex') }
}
