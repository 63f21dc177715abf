/**
 * Builds the console in each language into `web/dist` when its sources are not those of the last build: `bun web/build.ts`. Runs before every
 * start, so it looks at the sources only, and loads the tools for building when they are needed.
 */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '#vocabulary/languages'
import { compressFolder } from './compress'

const WEB = import.meta.dir
const DIST = join(WEB, 'dist')
const STAMP = join(DIST, '.stamp')

const hash = await hashSources()
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== hash) await build()

/** Builds into a separate folder first, because the service may run from the old build, and another start may build at the same time. */
async function build(): Promise<void> {
  const made = join(WEB, `.dist-${process.pid}`)
  const old = `${made}-old`
  try {
    const { build } = await import('vite')
    const { translatedTo } = await import('./texts/plugin')
    await build({ root: WEB, configLoader: 'native', logLevel: 'warn', build: { outDir: made, emptyOutDir: true } })
    for (const language of LANGUAGES.filter((language) => language !== 'en')) {
      const outDir = join(made, language)
      await build({
        root: WEB,
        configLoader: 'native',
        logLevel: 'warn',
        plugins: [translatedTo(language)],
        build: { outDir, emptyOutDir: true },
      })
      addLanguage(made, language)
    }
    await compressFolder(made)
    writeFileSync(join(made, '.stamp'), hash)
    if (existsSync(DIST)) renameSync(DIST, old)
    renameSync(made, DIST)
  } finally {
    rmSync(made, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/** Puts the page of a language beside the English one. Names of assets contain the hash of their content, so the files share a folder. */
function addLanguage(made: string, language: string): void {
  const folder = join(made, language)
  renameSync(join(folder, 'index.html'), join(made, `index.${language}.html`))
  for (const file of readdirSync(join(folder, 'assets'))) {
    renameSync(join(folder, 'assets', file), join(made, 'assets', file))
  }
  rmSync(folder, { recursive: true })
}

/** All that the build is made from: our files, the messages, the vocabulary, and the exact packages. */
async function hashSources(): Promise<string> {
  const patterns = ['*.{html,ts,js,json}', '{src,public,texts,messages}/**/*', '../server/vocabulary/*.ts']
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: WEB })]).sort()
  const hash = new Bun.CryptoHasher('sha256')
  for (const file of [...files, '../bun.lock']) {
    hash.update(`${file}\n`)
    hash.update(await Bun.file(join(WEB, file)).bytes())
  }
  return hash.digest('hex')
}
