/**
 * The files that the build of the console made, all read at the first request and kept: two megabytes. So a process serves
 * one build whole, also while another takes its place, and only what was found in the folder can be asked for.
 */

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

const DIST = join(import.meta.dir, '../../../web/dist')

let reading: Promise<ReadonlyMap<string, WebFile>> | undefined

/** The file at a path of the address; undefined when the build made none. A build that was missing is looked for again. */
export async function findFile(path: string): Promise<WebFile | undefined> {
  reading ??= readBuild()
  try {
    return (await reading).get(path)
  } catch (error) {
    reading = undefined
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function readBuild(): Promise<ReadonlyMap<string, WebFile>> {
  const names = [...new Bun.Glob('**/*').scanSync({ cwd: DIST })]
  const bytes = new Map(await Promise.all(names.map(async (name) => [name, await readBytes(name)] as const)))
  const files = [...bytes].map(([name, content]): [string, WebFile] => [
    `/${name.replaceAll('\\', '/')}`,
    {
      type: Bun.file(name).type,
      etag: `"${Bun.hash(content).toString(16)}"`,
      bytes: content,
      br: bytes.get(`${name}.br`),
      gzip: bytes.get(`${name}.gz`),
    },
  ])
  return new Map(files)
}

const readBytes = (name: string): Promise<Bytes> => Bun.file(join(DIST, name)).bytes()
