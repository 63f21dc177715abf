/** What the console may import from the server: types of the wire shapes, erased when it is built. The size of folders. */

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** Modules that name the values of a wire shape, such as the scopes. */
const NAMES = [
  'server/engine/attribute-types/data/currency-codes',
  'server/engine/data-model/model',
  'server/vocabulary/event-types',
  'server/vocabulary/roles',
  'server/vocabulary/scopes',
]

const isSchema = (module: string): boolean => /^server\/(?:api\/(resources|console)|engine)\/.*schemas$/.test(module)

const IMPORT = /^ *(?:import|export) (type )?[^'()]{0,2000}? from '([.#][^']{1,300})'/gm

const imports = [...new Bun.Glob('**/*.{ts,svelte}').scanSync(import.meta.dir)]
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((name) => {
    const file = join(import.meta.dir, name)
    return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, path = '']) => ({
      file: relative(ROOT, file),
      isType: type !== undefined,
      module: path.startsWith('#') ? `server/${path.slice(1)}` : relative(ROOT, join(dirname(file), path)),
    }))
  })
  .filter(({ module }) => !module.startsWith('web/'))

test('imports outside of web are found', () => {
  expect(imports.length).toBeGreaterThan(10)
})

test('the console imports types only, from schemas and the names in them', () => {
  const wrong = imports.filter(({ isType, module }) => !isType || !(isSchema(module) || NAMES.includes(module)))
  expect(wrong).toEqual([])
})

test('a folder of the console and of e2e has at most twenty files, tests apart', () => {
  const files = ['web/src', 'e2e'].flatMap((folder) =>
    [...new Bun.Glob('**/*').scanSync(join(ROOT, folder))].map((file) => join(folder, file)),
  )
  const folders = Map.groupBy(
    files.filter((file) => !file.endsWith('.test.ts')),
    dirname,
  )
  const large = [...folders].filter(([, within]) => within.length > 20).map(([folder]) => folder)
  expect(large).toEqual([])
})
