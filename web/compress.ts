/** Compresses once, at the build and as well as can be, what would otherwise be compressed for every visitor. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const COMPRESSIBLE = /\.(?:css|html|js|json|map|svg|txt)$/
/** Smaller files travel in one packet anyway. */
const WORTHWHILE = 1024

/** Puts `file.br` and `file.gz` beside each file that gains by it. */
export async function compressFolder(folder: string): Promise<void> {
  for (const file of new Bun.Glob('**/*').scanSync({ cwd: folder })) {
    if (!COMPRESSIBLE.test(file)) continue
    const path = join(folder, file)
    const bytes = readFileSync(path)
    if (bytes.length < WORTHWHILE) continue
    writeFileSync(`${path}.gz`, Bun.gzipSync(bytes, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
  }
}
