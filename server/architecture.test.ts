/** Checks which folder imports which. A folder imports only what lies below it; tests may import anything. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { TYPE_NAMES } from './engine/data-model/type-names'

const ROOT = join(import.meta.dir, '..')

/** Files beside this one that every folder may import. */
const FOR_ALL = ['context', 'ids', 'roles', 'scopes']

/** Folders that every other folder may import: they contain nothing that is particular to a CRM. */
const FOUNDATION = ['errors', 'validation', 'timing', 'logging', 'text', 'caching', 'memory']

/** The further folders that each folder of the server may import. No folder lies below `db`. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  errors: ['text'],
  validation: ['errors', 'text'],
  timing: ['logging'],
  logging: [],
  text: [],
  caching: [],
  memory: [],
  config: ['access', 'text', 'db'],
  'data-model': ['db'],
  'attribute-types': ['data-model', 'db'],
  workspaces: ['storage', 'attribute-types', 'data-model', 'db'],
  storage: ['events', 'attribute-types', 'data-model', 'db'],
  attachments: ['data-model', 'db'],
  blobs: ['data-model', 'db'],
  entities: ['attachments', 'storage', 'events', 'attribute-types', 'data-model', 'db'],
  indexes: ['attribute-types', 'data-model', 'db'],
  query: ['entities', 'storage', 'indexes', 'attribute-types', 'data-model', 'db'],
  sql: ['storage', 'attribute-types', 'data-model', 'db'],
  jobs: ['access', 'http', 'query', 'entities', 'storage', 'data-model', 'db'],
  search: ['query', 'entities', 'storage', 'indexes', 'attribute-types', 'data-model', 'db'],
  events: ['data-model', 'db'],
  webhooks: ['events', 'data-model', 'db'],
  installation: ['access', 'events', 'data-model', 'db'],
  import: ['workspaces', 'entities', 'attachments', 'storage', 'query', 'attribute-types', 'data-model', 'db'],
  contacts: ['entities', 'storage', 'events', 'attribute-types', 'data-model', 'db'],
  comments: ['access', 'attribute-types', 'data-model', 'db'],
  mailboxes: ['contacts', 'storage', 'attribute-types', 'data-model', 'db'],
  interactions: ['mailboxes', 'contacts', 'import', 'entities', 'storage', 'attribute-types', 'data-model', 'db'],
  'calendar-files': ['import', 'attribute-types', 'data-model', 'db'],
  'mail-files': ['interactions', 'mailboxes', 'import', 'attribute-types', 'data-model', 'db'],
  erasure: [
    'interactions',
    'mailboxes',
    'webhooks',
    'http',
    'entities',
    'storage',
    'events',
    'attribute-types',
    'data-model',
    'db',
  ],
  inbox: ['comments', 'storage', 'attribute-types', 'data-model', 'db'],
  access: ['events', 'webhooks', 'data-model', 'db'],
  oauth: ['access', 'webhooks', 'attribute-types', 'data-model', 'db'],
  http: ['blobs', 'events', 'data-model', 'db'],
  mcp: ['oauth', 'access', 'http', 'attribute-types', 'data-model', 'db'],
  scim: ['email', 'access', 'http', 'attribute-types', 'data-model', 'db'],
  email: ['inbox', 'comments', 'data-model', 'db'],
  console: [
    'installation',
    'resources',
    'jobs',
    'mcp',
    'scim',
    'mail-files',
    'mailboxes',
    'inbox',
    'comments',
    'import',
    'email',
    'workspaces',
    'entities',
    'storage',
    'indexes',
    'oauth',
    'access',
    'http',
    'blobs',
    'attribute-types',
    'data-model',
    'db',
  ],
  resources: [
    'erasure',
    'jobs',
    'attachments',
    'calendar-files',
    'contacts',
    'interactions',
    'mailboxes',
    'inbox',
    'comments',
    'import',
    'workspaces',
    'entities',
    'storage',
    'query',
    'search',
    'sql',
    'events',
    'webhooks',
    'oauth',
    'access',
    'http',
    'blobs',
    'attribute-types',
    'data-model',
    'db',
  ],
}

/** Scripts that developers run, and the service does not. */
const TOOLS = ['db/generate-types.ts']

/** Folders that may import any other: they start, operate or test the service. */
const ABOVE_ALL = ['', 'cli', 'startup', 'testing']

interface Import {
  readonly from: string
  readonly to: string
}

const files = ['server', 'db'].flatMap((folder) =>
  [...new Bun.Glob('**/*.ts').scanSync({ cwd: join(ROOT, folder) })].map((file) => `${folder}/${file}`),
)
const isOfTheService = (file: string) => !file.endsWith('.test.ts') && !TOOLS.includes(file)
const sources = new Map(files.filter(isOfTheService).map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))

/** Every import between our own files, as paths from the root of the repository, without extension. */
const imports: Import[] = [...sources].flatMap(([from, source]) =>
  specifiersOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from, to: relative(ROOT, join(ROOT, dirname(from), specifier)) })),
)

function specifiersOf(source: string): string[] {
  const pattern =
    /(?:^|\n)(?:import|export)\b[^'"]*?\bfrom\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g
  return [...source.matchAll(pattern)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '')
}

/** Returns the folder of a file: `db`, a folder of the server, or '' for the files beside this one. */
function folderOf(path: string): string {
  const [top, folder, ...rest] = path.split('/')
  return top === 'db' ? 'db' : rest.length > 0 ? (folder ?? '') : ''
}

const resourceOf = (path: string) => (path.startsWith('server/api/resources/') ? path.split('/')[2] : undefined)

const isForAll = (path: string) => FOR_ALL.some((name) => path === `server/${name}`)

const render = (found: Import[]) => found.map(({ from, to }) => `${from} imports ${to}`)

/** Returns the files on import cycles, and those on paths from one cycle to another, by removing the ends of the graph. */
function filesOnCycles(): string[] {
  let edges = imports.map(({ from, to }) => ({ from, to: `${to}.ts` }))
  for (let before = -1; edges.length !== before;) {
    before = edges.length
    const importers = new Set(edges.map(({ from }) => from))
    const imported = new Set(edges.map(({ to }) => to))
    edges = edges.filter(({ from, to }) => importers.has(to) && imported.has(from))
  }
  return [...new Set(edges.map(({ from }) => from))].toSorted()
}

describe('architecture', () => {
  test('a folder imports only what lies below it', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [folder, target] = [folderOf(from), folderOf(to)]
      if (folder === target || ABOVE_ALL.includes(folder) || FOUNDATION.includes(target) || isForAll(to)) return false
      return !(BELOW[folder] ?? []).includes(target)
    })
    expect(render(wrong)).toEqual([])
  })

  test('every folder has a line in the table', () => {
    const folders = new Set([...sources.keys()].filter((file) => file.startsWith('server/')).map(folderOf))
    expect([...folders].filter((folder) => !ABOVE_ALL.includes(folder) && BELOW[folder] === undefined)).toEqual([])
  })

  test('no file imports itself through other files, types included', () => {
    expect(filesOnCycles()).toEqual([])
  })

  test('resources never import each other', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [resource, other] = [resourceOf(from), resourceOf(to)]
      return resource !== undefined && other !== undefined && resource !== other
    })
    expect(render(wrong)).toEqual([])
  })

  test('only tests import files of server/testing', () => {
    const wrong = imports.filter(({ from, to }) => folderOf(to) === 'testing' && folderOf(from) !== 'testing')
    expect(render(wrong)).toEqual([])
  })

  test('only app.ts, http and routes.ts import Elysia', () => {
    const importers = [...sources].filter(([, source]) =>
      specifiersOf(source).some((name) => /^(?:elysia|@elysiajs\/.+)$/.test(name)),
    )
    const wrong = importers
      .map(([file]) => file)
      .filter((file) => file !== 'server/app.ts' && !/^server\/(?:http|testing)\/|[/-]routes\.ts$/.test(file))
    expect(wrong).toEqual([])
  })

  test('only ids.ts makes ids', () => {
    const callers = [...sources].filter(([, source]) => source.includes('randomUUIDv7')).map(([file]) => file)
    expect(callers).toEqual(['server/base/ids.ts'])
  })

  test('the names of attribute columns are made in one file', () => {
    const wrong = [...sources].filter(([, source]) => /`(?:\w+\.)?a_\$\{/.test(source)).map(([file]) => file)
    // The second file makes the names of indexes.
    const allowed = [
      'server/engine/attribute-types/definition/columns.ts',
      'server/engine/indexes/describe/property-index.ts',
    ]
    expect(wrong.filter((file) => folderOf(file) !== 'testing').toSorted()).toEqual(allowed)
  })

  test('only storage, query/compile, sql/compile and search have statements over workspace tables', () => {
    const statement =
      /\b(?:from|join|into|update|lock table|delete from) \$\{(?:\w+(?:\([^)]*\))?\.)?table\}|schema\}"?\."?(?:uniques|history|merges|outbox|model)\b/
    const wrong = [...sources].filter(([, source]) => statement.test(source)).map(([file]) => file)
    // The data model locks the tables that it changes. The publisher reads the outboxes. The command checks the model version.
    // The index worker reads a sample of rows.
    const allowed =
      /^server\/(?:storage|query\/compile|sql\/compile|search|testing)\/|\/testing\/|^server\/(?:data-model\/change-model|events\/outboxes\/read-outboxes|cli\/check\/model-version|indexes\/correct-estimates)\.ts$/
    expect(wrong.filter((file) => !allowed.test(file))).toEqual([])
  })

  test('parts of the data model are suggested only by closestSlug, which leaves out hidden ones', () => {
    const importers = imports.filter(({ to }) => to === 'server/base/text/find-closest').map(({ from }) => from)
    // SQL suggests the tables and columns that it was compiled for, and words of its own. An import suggests columns of the file.
    const allowed =
      /^server\/(?:data-model\/access\/hidden|import\/mapping\/bind-columns|sql\/compile\/.+|testing\/.+)\.ts$/
    expect(importers.filter((file) => !allowed.test(file))).toEqual([])
  })

  test('only attribute types compare the type of an attribute; all other code reads their definitions', () => {
    const comparison = new RegExp(
      String.raw`\b(?:attribute_)?type\)? [!=]== '(?:${TYPE_NAMES.join('|')})'|\bcase '(?:${TYPE_NAMES.join('|')})':`,
    )
    const wrong = [...sources].filter(([, source]) => comparison.test(source)).map(([file]) => file)
    expect(wrong.filter((file) => !/^server\/attribute-types\/|\/testing\//.test(file))).toEqual([])
  })

  test('errors are logged in one form', () => {
    const wrong = [...sources].filter(([, source]) => /\bconsole\.(?:error|warn)\(/.test(source)).map(([file]) => file)
    const allowed = [
      'server/run/cli/main.ts',
      'server/base/logging/log-error.ts',
      'server/main.ts',
      'server/run/startup/installed-packages.ts',
      'server/testing/run.ts',
    ]
    expect(wrong.toSorted()).toEqual(allowed)
  })

  test('only request-url.ts parses the URL of a request', () => {
    const wrong = [...sources].filter(([, source]) => /\bnew (?:URL|Request)\(request\.url\b/.test(source))
    expect(wrong.map(([file]) => file).filter((file) => folderOf(file) !== 'testing')).toEqual([])
  })
})
