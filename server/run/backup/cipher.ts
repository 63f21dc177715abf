/**
 * Encrypts streams with a pass phrase: AES-256-GCM over frames of 64 kB. Each stream has a key of its own, derived from the key
 * of the pass phrase and a salt at its start. The nonce of a frame is its number and whether it is the last one, so frames
 * that are changed, missing, moved or cut off are noticed.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { type Static, Type } from 'typebox'
import { CommandError } from '#run/cli/command'

/** How the key is made from the pass phrase, and a text by which a wrong one is noticed. */
export const KeySchema = Type.Object({
  kdf: Type.Literal('scrypt'),
  salt: Type.String(),
  cost: Type.Integer(),
  block_size: Type.Integer(),
  check: Type.String(),
})
export type KeyFile = Static<typeof KeySchema>

/** About 130 MB of memory and half a second for each attempt. */
const COST = 2 ** 17
const BLOCK_SIZE = 8
/** Bounds what a damaged or foreign key file can ask for. */
const MOST_MEMORY = 2 ** 30

const FRAME_BYTES = 2 ** 16
const SALT_BYTES = 16
const TAG_BYTES = 16

export async function createBackupKey(passphrase: string): Promise<{ file: KeyFile; key: Buffer }> {
  const salt = randomBytes(SALT_BYTES)
  const key = await deriveKey(passphrase, salt, COST, BLOCK_SIZE)
  return {
    key,
    file: { kdf: 'scrypt', salt: salt.toString('hex'), cost: COST, block_size: BLOCK_SIZE, check: checkOf(key) },
  }
}

/** Throws `CommandError` for another pass phrase than the one that the key was made from. */
export async function openKey(passphrase: string, { salt, cost, block_size, check }: KeyFile): Promise<Buffer> {
  const key = await deriveKey(passphrase, Buffer.from(salt, 'hex'), cost, block_size)
  const [own, given] = [Buffer.from(checkOf(key)), Buffer.from(check)]
  if (own.length !== given.length || !timingSafeEqual(own, given)) {
    throw new CommandError('RELATA_BACKUP_PASSPHRASE is not the pass phrase of these backups.')
  }
  return key
}

/** A name that says nothing to somebody without the key. */
export const secretName = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex')

const checkOf = (key: Buffer) => secretName(key, 'relata backup key')

function deriveKey(passphrase: string, salt: Buffer, cost: number, blockSize: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const settings = { cost, blockSize, parallelization: 1, maxmem: MOST_MEMORY }
  scrypt(passphrase.normalize('NFC'), salt, 32, settings, (error, key) => (error ? reject(error) : resolve(key)))
  return promise
}

const streamKey = (key: Buffer, salt: Uint8Array) =>
  Buffer.from(hkdfSync('sha256', key, salt, 'relata backup stream', 32))

function nonceOf(frame: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt8(isLast ? 1 : 0, 0)
  nonce.writeBigUInt64BE(BigInt(frame), 4)
  return nonce
}

export async function* encrypt(key: Buffer, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES)
  const own = streamKey(key, salt)
  yield salt
  for await (const { frame, bytes, isLast } of framesOf(chunks, FRAME_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', own, nonceOf(frame, isLast))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/** Throws when the bytes are not those that `encrypt` made with this key. */
export async function* decrypt(key: Buffer, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = chunks[Symbol.asyncIterator]()
  const { head, rest } = await readHead(reader, SALT_BYTES)
  const own = streamKey(key, head)
  for await (const { frame, bytes, isLast } of framesOf(rest, FRAME_BYTES + TAG_BYTES)) {
    if (bytes.length < TAG_BYTES) throw new Error('The encrypted bytes are cut off.')
    const decipher = createDecipheriv('aes-256-gcm', own, nonceOf(frame, isLast))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
  }
}

async function readHead(reader: AsyncIterator<Uint8Array>, length: number) {
  let held = Buffer.alloc(0)
  while (held.length < length) {
    const next = await reader.next()
    if (next.done === true) throw new Error('The encrypted bytes are cut off.')
    held = Buffer.concat([held, next.value])
  }
  const after = held.subarray(length)
  async function* rest() {
    if (after.length > 0) yield after
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) yield next.value
  }
  return { head: held.subarray(0, length), rest: rest() }
}

/** Frames of one size; the last one, which may be empty, is shorter or the end of the chunks. */
async function* framesOf(chunks: AsyncIterable<Uint8Array>, size: number) {
  let held: Uint8Array[] = []
  let length = 0
  let frame = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    length += chunk.length
    if (length <= size) continue
    const bytes = Buffer.concat(held)
    let start = 0
    for (; bytes.length - start > size; start += size) {
      yield { frame: frame++, bytes: bytes.subarray(start, start + size), isLast: false }
    }
    held = [bytes.subarray(start)]
    length = bytes.length - start
  }
  yield { frame, bytes: Buffer.concat(held), isLast: true }
}
