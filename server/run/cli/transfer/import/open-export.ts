/** Reads the manifest of a folder and compares every file with it, before anything is imported. */

import type { FileDefinition } from '#run/cli/transfer/files/define-file'
import { Compile } from 'typebox/compile'
import { microsFromTimestamp } from '#base/timing/clock'
import {
  BYTES_FOLDER,
  fileNameOf,
  FORMAT,
  READ_VERSIONS,
  type FileEntry,
  Manifest,
  MANIFEST,
} from '#run/cli/transfer/format'
import { CONTENT_FILES } from '#run/cli/transfer/files/content-files'
import { MODEL_FILES } from '#run/cli/transfer/files/model-files'
import type { Progress } from '#run/cli/transfer/progress'
import { DamagedExport, messageOf, readChunks } from './open-file'
import { readExportLines } from './read-lines'

const MAX_MANIFEST_BYTES = 16_000_000

/** Throws `DamagedExport`. */
export async function openExport(folder: string, progress: Progress): Promise<Manifest> {
  const manifest = await readManifest(folder)
  checkNames(manifest)
  progress.begin('checksums')
  for (const file of manifest.files) {
    await checkFile(folder, file)
    progress.add(1)
  }
  await checkBytes(folder, manifest, progress)
  return manifest
}

const isManifest = Compile(Manifest)

async function readManifest(folder: string): Promise<Manifest> {
  const manifest = parse(await readText(folder))
  const { format, version } = manifest
  if (format !== FORMAT) throw new DamagedExport(MANIFEST, `this is no export of a workspace: format is not ${FORMAT}.`)
  if (!READ_VERSIONS.includes(version)) {
    const found = JSON.stringify(version)?.slice(0, 50)
    throw new DamagedExport(
      MANIFEST,
      `the format has version ${found}; this service reads versions ${READ_VERSIONS.join(' and ')}.`,
    )
  }
  if (!isManifest.Check(manifest)) {
    const [first] = isManifest.Errors(manifest)
    throw new DamagedExport(MANIFEST, `${first?.instancePath ?? ''} ${first?.message ?? 'is invalid'}.`)
  }
  checkTimestamp(manifest.workspace.created_at)
  return manifest
}

function checkTimestamp(text: string): void {
  try {
    microsFromTimestamp(text)
  } catch (error) {
    throw new DamagedExport(MANIFEST, messageOf(error))
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>> // an object with any members
  } catch (error) {
    throw new DamagedExport(MANIFEST, `this is no JSON: ${messageOf(error)}.`)
  }
}

async function readText(folder: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readChunks(folder, MANIFEST)) {
    length += chunk.length
    if (length > MAX_MANIFEST_BYTES) throw new DamagedExport(MANIFEST, 'the file is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Every file of the registry is there, except optional ones, and none twice. */
function checkNames({ files }: Manifest): void {
  const names = new Set<string>()
  for (const { name } of files) {
    if (names.has(name)) throw new DamagedExport(MANIFEST, `the file ${name} is listed twice.`)
    names.add(name)
  }
  const all: readonly FileDefinition[] = [...Object.values(MODEL_FILES), ...Object.values(CONTENT_FILES)]
  const missing = all.find(({ name, isOptional }) => isOptional !== true && !names.has(fileNameOf(name)))
  if (missing !== undefined) throw new DamagedExport(MANIFEST, `the file ${fileNameOf(missing.name)} is not listed.`)
  const unknown = [...names].find((name) => !name.includes('/') && !all.some((each) => fileNameOf(each.name) === name))
  if (unknown !== undefined) throw new DamagedExport(MANIFEST, `the file ${unknown} is not part of the format.`)
}

async function checkFile(folder: string, { name, bytes, sha256 }: FileEntry): Promise<void> {
  const found = await digestOf(folder, name, bytes)
  if (found !== sha256) throw new DamagedExport(name, 'the content is not what the export wrote: its checksum differs.')
}

/** Stops at the first byte beyond the expected size. */
async function digestOf(folder: string, name: string, expectedBytes: number): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of readChunks(folder, name)) {
    bytes += chunk.length
    if (bytes > expectedBytes) break
    hasher.update(chunk)
  }
  if (bytes !== expectedBytes) throw new DamagedExport(name, `the file has not ${expectedBytes} bytes.`)
  return hasher.digest('hex')
}

/** The name of the bytes of a file is their checksum. */
async function checkBytes(folder: string, { blobs }: Manifest, progress: Progress): Promise<void> {
  const total = { count: 0, bytes: 0 }
  for await (const { digest, size } of readBlobs(folder)) {
    const name = `${BYTES_FOLDER}/${digest}`
    if ((await digestOf(folder, name, size)) !== digest) throw new DamagedExport(name, 'the checksum differs.')
    total.count++
    total.bytes += size
    progress.add(1)
  }
  if (total.count !== blobs.count || total.bytes !== blobs.bytes) {
    throw new DamagedExport(MANIFEST, `blobs: the export has ${total.count} with ${total.bytes} bytes.`)
  }
}

const BLOBS_FILE = fileNameOf('blobs')
const DIGEST = /^[0-9a-f]{64}$/

/** The digests and sizes of the bytes in the folder. */
export async function* readBlobs(folder: string): AsyncGenerator<{ digest: string; size: number }> {
  for await (const { number, text } of readExportLines(folder, BLOBS_FILE)) {
    const { digest, size } = parseBlob(text)
    const isValid = typeof digest === 'string' && DIGEST.test(digest) && Number.isSafeInteger(size)
    if (!isValid) throw new DamagedExport(BLOBS_FILE, 'a line has a digest and a size.', number)
    yield { digest, size: Number(size) }
  }
}

function parseBlob(text: string): { digest?: unknown; size?: unknown } {
  try {
    return Object(JSON.parse(text)) as { digest?: unknown; size?: unknown } // an object with any members
  } catch {
    return {}
  }
}
