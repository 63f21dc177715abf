/**
 * The files of the console's build, two megabytes, all read into memory at the first request. So a process serves the files
 * of one build, even while another build replaces them, and a path can name only a file that the folder contained.
 */

import { join } from 'node:path'

type Bytes = Uint8Array<ArrayBuffer>

export interface WebFile {
  readonly type: string
  readonly etag: string
  readonly bytes: Bytes
  /** The file compressed at the build; undefined where that made it no smaller. */
  readonly br: Bytes | undefined
  readonly gzip: Bytes | undefined
}

const DIST = join(import.meta.dir, '../../../../web/dist')

let reading: Promise<ReadonlyMap<string, WebFile>> | undefined

/** Returns the file at a path of a URL, or undefined. While there is no build, each request looks for one. */
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
