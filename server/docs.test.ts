/** Checks that documents and comments name files and folders that exist. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const filesIn = (folder: string, pattern: string) =>
  [...new Bun.Glob(pattern).scanSync(join(ROOT, folder))]
    .filter((name) => !/(?:^|\/)(?:node_modules|dist)\//.test(name))
    .map((name) => `${folder}/${name}`)

/** Paths from the root of the repository. A path may end with a wildcard or a placeholder, of which only the folder is checked. */
const PATH = /(?<![\w./:#-])(?:server|web|e2e|db|docs)\/[\w./*<>-]*[\w*>]/g

function missingIn(text: string): string[] {
  return [...text.matchAll(PATH)]
    .map(([path]) => path)
    .filter((path) => {
      const [known = ''] = path.split(/[*<]/)
      const end = known.length < path.length ? known.slice(0, known.lastIndexOf('/')) : known
      return !existsSync(join(ROOT, end)) && !existsSync(join(ROOT, `${end}.ts`))
    })
}

describe('the README', () => {
  const readme = read('README.md')

  test('names every layer of the server', () => {
    const tree = readme.slice(readme.indexOf('## The tree'), readme.indexOf('## Testing'))
    const folders = readdirSync(join(ROOT, 'server'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).filter((name) => !tree.includes(` ${name}/`))).toEqual([])
  })

  test('has at most 180 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(180)
  })
})

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...filesIn('docs', '**/*.md'),
  ...['db', 'server', 'web', 'e2e'].flatMap((folder) => filesIn(folder, '**/*.md')),
]

test.each(documents)('%s names only files and folders that exist', (file) => {
  expect(missingIn(read(file))).toEqual([])
})

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** The links to files of the repository that do not exist, or that lack the heading. */
function brokenLinksIn(file: string): string[] {
  const links = [
    ...read(file)
      .replaceAll(/```[^]*?```/g, '')
      .matchAll(/\]\(([^)\s#:]*)(?:#([^)\s]+))?\)/g),
  ]
  return links.flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(join(ROOT, target))) return [link]
    if (anchor === undefined || !target.endsWith('.md')) return []
    const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
    return headings.includes(anchor) ? [] : [link]
  })
}

test.each(documents)('%s links only to files and headings that exist', (file) => {
  expect(brokenLinksIn(file)).toEqual([])
})

test('comments name only files and folders that exist', () => {
  const sources = ['server', 'db', 'web', 'e2e'].flatMap((folder) => filesIn(folder, '**/*.{ts,svelte}'))
  const comments = (source: string) => source.match(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm)?.join('\n') ?? ''
  const wrong = sources.flatMap((file) => missingIn(comments(read(file))).map((path) => `${file}: ${path}`))
  expect(wrong).toEqual([])
})

test('each folder with more than ten files has a README that says what goes in and out', () => {
  const folders = ['server', 'db', 'web/src', 'e2e'].flatMap((folder) => filesIn(folder, '**/*')).map(dirname)
  const large = [...Map.groupBy(folders, (folder) => folder)].filter(([, files]) => files.length > 10)
  const undescribed = large.map(([folder]) => folder).filter((folder) => !existsSync(join(ROOT, folder, 'README.md')))
  expect(undescribed).toEqual([])
})

test('the index of decisions has every page', () => {
  const index = read('docs/decisions/README.md')
  const pages = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => name !== 'README.md')
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([])
})
