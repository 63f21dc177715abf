/** No file and no export is named with a word that docs/glossary.md rules out. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const SECTION = '## Words that are not names'
const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm

const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8')
const excluded = new Set(
  [...glossary.slice(glossary.indexOf(SECTION)).matchAll(/`(\w+)`/g)].map(([, word = '']) => word),
)

const files = ['server', 'db', 'web/src', 'e2e'].flatMap((folder) =>
  [...new Bun.Glob('**/*.{ts,svelte}').scanSync({ cwd: join(ROOT, folder) })].map((file) => `${folder}/${file}`),
)

/** `sendWebhookAlerts` and `send-webhook-alerts` have three words. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return spaced.toLowerCase().split(/[^a-z0-9]/)
}

const isExcluded = (name: string): boolean => wordsOf(name).some((word) => excluded.has(word))

describe('names', () => {
  test('the glossary lists words', () => {
    expect(excluded.size).toBeGreaterThan(20)
    expect(isExcluded('tellHolders')).toBe(true)
    expect(isExcluded('notifyWorkers')).toBe(false)
  })

  test('no file name contains an excluded word', () => {
    expect(files.filter((file) => isExcluded(basename(file)))).toEqual([])
  })

  test('no name of an export contains an excluded word', () => {
    const wrong = files
      .filter((file) => file !== 'db/schema.ts')
      .flatMap((file) =>
        [...readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORT)]
          .filter(([, name = '']) => isExcluded(name))
          .map(([, name]) => `${file}: ${name}`),
      )
    expect(wrong).toEqual([])
  })
})
