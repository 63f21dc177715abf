/** The files that the build of the console made, each read once. Only what was found in the folder can be asked for. */

import { join } from 'node:path'

type Bytes = Uint8Array<ArrayBuffer>

export interface WebFile {
  readonly type: string
  readonly etag: string
  readonly bytes: Bytes
  /** Compressed at the build, where that gained something. */
  readonly br: Bytes | undefined
  readonly gzip: Bytes | undefined
}

const DIST = join(import.meta.dir, '../../web/dist')

/** All paths of the build, and those that were read. A build made later is seen when the page is asked for again. */
let known: ReadonlySet<string> | undefined
const files = new Map<string, Promise<WebFile>>()

/** The file at a path of the address; undefined when the build made none. */
export async function findFile(path: string): Promise<WebFile | undefined> {
  known ??= findPaths()
  if (!known?.has(path)) return undefined
  const reading = files.get(path) ?? readFile(path)
  files.set(path, reading)
  return reading
}

function findPaths(): ReadonlySet<string> | undefined {
  try {
    const paths = [...new Bun.Glob('**/*').scanSync({ cwd: DIST })].map((file) => `/${file.replaceAll('\\', '/')}`)
    return new Set(paths)
  } catch {
    return undefined // there is no build yet
  }
}

async function readFile(path: string): Promise<WebFile> {
  const file = Bun.file(join(DIST, path))
  const bytes = await file.bytes()
  return {
    type: file.type,
    etag: `"${Bun.hash(bytes).toString(16)}"`,
    bytes,
    br: await readIfThere(`${path}.br`),
    gzip: await readIfThere(`${path}.gz`),
  }
}

async function readIfThere(path: string): Promise<Bytes | undefined> {
  return known?.has(path) ? Bun.file(join(DIST, path)).bytes() : undefined
}
