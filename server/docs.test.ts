/** Checks that the README and the index of decisions name what exists. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('the README', () => {
  const readme = read('README.md')

  test('names every folder of the server', () => {
    const tour = readme.slice(readme.indexOf('## Tour of the tree'), readme.indexOf('## Where to change what'))
    const folders = readdirSync(join(ROOT, 'server'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).filter((name) => !tour.includes(` ${name}/`))).toEqual([])
  })

  test('names only files and folders that exist', () => {
    const paths = [...readme.matchAll(/`((?:server|web|e2e|db|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

test('the index of decisions has every page', () => {
  const index = read('docs/decisions/README.md')
  const pages = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-.*\.md$/.test(name))
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([])
})
