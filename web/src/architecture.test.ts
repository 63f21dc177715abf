/** What the console may import from the server: vocabulary, and types of the wire shapes, which are erased when it is built. Where the types of answers come from. Which classes are shared. */

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

const isVocabulary = (module: string): boolean => module.startsWith('server/vocabulary/')

const isSchema = (module: string): boolean =>
  /^server\/(?:api\/(?:resources|entities|console|jobs)|engine)\/.*schemas$/.test(module)

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

test('the console imports vocabulary, and types of schemas', () => {
  const wrong = imports.filter(({ isType, module }) => !isVocabulary(module) && !(isType && isSchema(module)))
  expect(wrong).toEqual([])
})

/**
 * Records and entries of all objects and lists have one type, whose values the types of attributes read; a batch has one type of
 * result for both; a page is an envelope.
 */
const OF_THE_CONSOLE = ['CursorPage', 'EntityWire', 'PaginationWire', 'Result', 'ResultWire', 'Value']

test('the types of answers come from the schemas of the service', () => {
  const sources = [...new Bun.Glob('api/**/*.ts').scanSync(import.meta.dir)]
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(import.meta.dir, file), 'utf8'))
  const declared = sources
    .flatMap((source) => [...source.matchAll(/^(?:export )?(?:interface (\w+)|type (\w+) = \{$)/gm)])
    .map(([, name, other]) => name ?? other ?? '')
  const answers = sources
    .flatMap((source) => [...source.matchAll(/\b(?:api|workspaceApi|consoleApi)\.\w+<([^(]{1,300})>\(/g)])
    .flatMap(([, type = '']) => type.match(/\b[A-Z]\w+/g) ?? [])
  expect(answers.length).toBeGreaterThan(80)
  const wrong = answers.filter((name) => declared.includes(name) && !OF_THE_CONSOLE.includes(name))
  expect([...new Set(wrong)]).toEqual([])
})

/** A class of a component's own with the name of a shared one would get the styles of both. Some components set the width of `.stack`. */
test('no component styles a class that all components share', () => {
  const base = readFileSync(join(import.meta.dir, 'design/base.css'), 'utf8')
  const shared = (base.match(/^\.[\w-]+/gm) ?? []).filter((name) => name !== '.stack')
  expect(shared).toContain('.beside')
  const wrong = [...new Bun.Glob('**/*.svelte').scanSync(import.meta.dir)].filter((file) =>
    (readFileSync(join(import.meta.dir, file), 'utf8').match(/^ +\.[\w-]+/gm) ?? []).some((name) =>
      shared.includes(name.trim()),
    ),
  )
  expect(wrong).toEqual([])
})

test('numbers and dates are in the language of the page', () => {
  const wrong = [...new Bun.Glob('**/*.{ts,svelte}').scanSync(import.meta.dir)].filter((file) =>
    /Intl\.\w+\(undefined|\.toLocale\w*String\(\)/.test(readFileSync(join(import.meta.dir, file), 'utf8')),
  )
  expect(wrong.filter((file) => !file.endsWith('.test.ts'))).toEqual([])
})
