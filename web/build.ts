/**
 * Builds the console into `web/dist` when its sources are not those of the last build: `bun web/build.ts`. Runs before every
 * start, so it looks at the sources only, and loads the tools for building when they are needed.
 */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressFolder } from './compress'

const WEB = import.meta.dir
const DIST = join(WEB, 'dist')
const STAMP = join(DIST, '.stamp')

const stamp = await hashSources()
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== stamp) await build(stamp)

/** Builds into a separate folder first, because the service may run from the old build, and another start may build at the same time. */
async function build(stamp: string): Promise<void> {
  const made = join(WEB, `.dist-${process.pid}`)
  const old = `${made}-old`
  try {
    const { build } = await import('vite')
    await build({ root: WEB, logLevel: 'warn', build: { outDir: made, emptyOutDir: true } })
    await compressFolder(made)
    writeFileSync(join(made, '.stamp'), stamp)
    if (existsSync(DIST)) renameSync(DIST, old)
    renameSync(made, DIST)
  } finally {
    rmSync(made, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/** All that the build is made from: our files, the vocabulary, and the exact packages. */
async function hashSources(): Promise<string> {
  const patterns = ['*.{html,ts,js,json}', '{src,public}/**/*', '../server/vocabulary/*.ts']
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: WEB })]).sort()
  const hash = new Bun.CryptoHasher('sha256')
  for (const file of [...files, '../bun.lock']) {
    hash.update(`${file}\n`)
    hash.update(await Bun.file(join(WEB, file)).bytes())
  }
  return hash.digest('hex')
}
