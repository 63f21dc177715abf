/** Checks which folder imports which. A folder imports only what lies below it; tests may import anything. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { TYPE_NAMES } from './vocabulary/data-model'

const ROOT = join(import.meta.dir, '..')

/**
 * The layers from the bottom to the top: a layer imports only those before it. The files beside this one are above all;
 * `context.ts`, which has only types, may be imported by all.
 */
const LAYERS = ['vocabulary', 'db', 'base', 'engine', 'events', 'access', 'crm', 'transfer', 'api', 'run', ''] as const

/** Scripts that developers run, and the service does not. */
const TOOLS = ['db/generate-types.ts']

interface Import {
  readonly specifier: string
  readonly from: string
  readonly to: string
}

const files = ['server', 'db'].flatMap((folder) =>
  [...new Bun.Glob('**/*.ts').scanSync({ cwd: join(ROOT, folder) })].map((file) => `${folder}/${file}`),
)
const isOfTheService = (file: string) => !file.endsWith('.test.ts') && !TOOLS.includes(file)
const sources = new Map(files.filter(isOfTheService).map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))

/**
 * Where SQL may stand as text. All other code builds statements over control tables with Kysely, and uses its `sql` for expressions.
 * See docs/decisions/statements.md.
 */
const HOMES_OF_SQL: readonly (readonly [RegExp, string])[] = [
  [/^db\//, 'connections, migrations and the checks of the server'],
  [/^server\/engine\/(?:storage|query|sql|indexes|search)\//, 'statements over tables of workspaces'],
  [/^server\/engine\/data-model\/kysely-in-transaction\.ts$/, 'runs what Kysely compiled'],
  [
    /^server\/engine\/(?:data-model\/change-model|workspaces\/\w+-entity-types)\.ts$/,
    'locks and makes tables of workspaces',
  ],
  [/^server\/engine\/workspaces\/remove-workspace\.ts$/, 'drops what the catalog of PostgreSQL names'],
  [/^server\/engine\/data-model\/load\.ts$/, 'one statement builds the JSON of a data model'],
  [/^server\/engine\/attachments\//, 'fixed texts, each over all tables of what belongs to records'],
  [/^server\/engine\/outbox\//, 'runs in every write'],
  [/^server\/access\/(?:sessions\/sessions|members\/memberships)\.ts$/, 'run at every request'],
  [/^server\/api\/http\/(?:idempotency|rate-limit|replica)\//, 'run at every request'],
  [/^server\/events\/(?:feed|webhooks)\//, 'the feed, the publisher and the webhook queue'],
  [/^server\/crm\/(?:contacts|email|interactions)\//, 'queues of jobs'],
  [/^server\/engine\/rollups\/rollup-queue\.ts$/, 'a queue, whose rows are locked in one order'],
  [
    /^server\/crm\/(?:comments\/store|mailboxes\/insert-emails|meetings\/store|blobs\/store)\.ts$/,
    'one statement over several tables',
  ],
  [/^server\/access\/audit-log\/audit\.ts$/, 'one statement over several tables'],
  [
    /^server\/api\/resources\/(?:call-recordings|files|meetings|records\/activity)\//,
    'one statement over several tables',
  ],
  [/^server\/api\/personal-data\/subjects\.ts$/, 'fixed texts, each over the tables of one kind of data'],
  [/^server\/api\/(?:mcp\/calls\.ts$|scim\/)/, 'one statement over several tables'],
  [/^server\/access\/installation\/identity\.ts$/, 'reads the catalog of PostgreSQL'],
  [/^server\/run\/(?:backup|cli\/(?:check|transfer))\//, 'reads the catalog of PostgreSQL, and tables that files name'],
]

/** Whether a file has SQL as text: for the driver, or as a whole statement of Kysely's `sql`. Columns that are named `sql` do not count. */
function hasSql(source: string): boolean {
  if (/\.unsafe\b/.test(source) || /`\s*\.execute\(/.test(source)) return true
  const [ofKysely = ''] = /import (?:type )?\{[^}]*\} from 'kysely'/.exec(source) ?? []
  const isOfKysely = /[{,]\s*sql\s*[,}]/.test(ofKysely)
  const tags = source.matchAll(/(?<![`\w.$/])((?:\w+\.)*(?:sql|tx|db|connection|transaction))(?:<[^`;=]*>)?`/g)
  return [...tags].some(([, tag]) => tag !== 'sql' || !isOfKysely)
}

/** Every import between our own files, as paths from the root of the repository, without extension. */
const imports: Import[] = [...sources].flatMap(([from, source]) =>
  specifiersOf(source)
    .filter((specifier) => /^[.#]/.test(specifier))
    .map((specifier) => ({ specifier, from, to: pathOf(from, specifier) })),
)

function pathOf(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(ROOT, join(ROOT, dirname(from), specifier))
  return specifier.startsWith('#db/') ? specifier.slice(1) : `server/${specifier.slice(1)}`
}

function specifiersOf(source: string): string[] {
  const pattern =
    /(?:^|\n)(?:import|export)\b[^'"]*?\bfrom\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g
  return [...source.matchAll(pattern)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '')
}

const isOutside = (path: string): boolean => !/^(?:server|db)\//.test(path)

/** Returns the layer of a file: `db`, a folder of the server, or '' for the files beside this one. */
function layerOf(path: string): string {
  const [top, folder, ...rest] = path.split('/')
  return top === 'db' ? 'db' : rest.length > 0 ? (folder ?? '') : ''
}

const resourceOf = (path: string) => (path.startsWith('server/api/resources/') ? path.split('/')[2] : undefined)

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
  test('a layer imports only what lies below it', () => {
    const rank = (path: string) => (LAYERS as readonly string[]).indexOf(layerOf(path))
    const isChecked = ({ from, to }: Import) =>
      layerOf(from) !== 'testing' && !isOutside(to) && to !== 'server/context' && from !== 'server/context.ts'
    const wrong = imports.filter((each) => isChecked(each) && rank(each.to) > rank(each.from))
    // The start of the service.
    expect(render(wrong)).toEqual(['server/run/startup/service.ts imports server/app'])
  })

  test('vocabulary imports nothing else, because the console imports it at run time', () => {
    const specifiers = [...sources]
      .filter(([file]) => layerOf(file) === 'vocabulary')
      .flatMap(([file, source]) => specifiersOf(source).map((specifier) => `${file} imports ${specifier}`))
    expect(specifiers.length).toBeGreaterThan(0)
    expect(specifiers.filter((line) => !/imports \.\/[a-z-]+$/.test(line))).toEqual([])
  })

  test('every folder is a layer', () => {
    const folders = new Set([...sources.keys()].map(layerOf))
    expect([...folders].toSorted()).toEqual([...LAYERS, 'testing'].toSorted())
  })

  test('an import of another folder names the layer; one of the same folder is relative', () => {
    const wrong = imports.filter(
      ({ from, to, specifier }) =>
        specifier.startsWith('../') && layerOf(from) !== 'db' && !isOutside(to) && layerOf(to) !== '',
    )
    expect(render(wrong)).toEqual([])
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
    const wrong = imports.filter(({ from, to }) => layerOf(to) === 'testing' && layerOf(from) !== 'testing')
    expect(render(wrong)).toEqual([])
  })

  test('only app.ts, http and routes.ts import Elysia', () => {
    const importers = [...sources].filter(([, source]) =>
      specifiersOf(source).some((name) => /^(?:elysia|@elysiajs\/.+)$/.test(name)),
    )
    const wrong = importers
      .map(([file]) => file)
      .filter((file) => file !== 'server/app.ts' && !/^server\/(?:api\/http|testing)\/|[/-]routes\.ts$/.test(file))
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
    expect(wrong.filter((file) => layerOf(file) !== 'testing').toSorted()).toEqual(allowed)
  })

  test('only storage, query/compile, sql/compile and search have statements over workspace tables', () => {
    const statement =
      /\b(?:from|join|into|update|lock table|delete from) \$\{(?:\w+(?:\([^)]*\))?\.)?table\}|schema\}"?\."?(?:uniques|history|merges|outbox|model)\b/
    const wrong = [...sources].filter(([, source]) => statement.test(source)).map(([file]) => file)
    // The data model locks the tables that it changes. The publisher reads the outboxes. The command checks the model version.
    // The index worker reads a sample of rows.
    const allowed =
      /^server\/(?:engine\/(?:storage|query\/compile|sql\/compile|search)|testing)\/|\/testing\/|^server\/(?:engine\/data-model\/change-model|events\/feed\/outboxes\/read-outboxes|run\/cli\/check\/command|engine\/indexes\/correct-estimates)\.ts$/
    expect(wrong.filter((file) => !allowed.test(file))).toEqual([])
  })

  test('SQL stands as text only where a reason is given', () => {
    const wrong = [...sources].filter(([, source]) => hasSql(source)).map(([file]) => file)
    const isAllowed = (file: string) => HOMES_OF_SQL.some(([home]) => home.test(file)) || /\/testing\//.test(file)
    expect(wrong.filter((file) => !isAllowed(file))).toEqual([])
  })

  test('every home of SQL has some', () => {
    const files = [...sources].filter(([, source]) => hasSql(source)).map(([file]) => file)
    expect(HOMES_OF_SQL.filter(([home]) => !files.some((file) => home.test(file)))).toEqual([])
  })

  test('parts of the data model are suggested only by closestSlug, which leaves out hidden ones', () => {
    const importers = imports.filter(({ to }) => to === 'server/base/text/find-closest').map(({ from }) => from)
    // SQL suggests the tables and columns that it was compiled for, and words of its own. An import suggests columns of the file,
    // the check of a body members of its schema, and a template the variables that its caller gives. A search only counts the edits between words.
    const allowed =
      /^server\/(?:base\/validation\/compile-check|crm\/email\/templates|engine\/(?:data-model\/access\/hidden|search\/rank)|transfer\/import\/mapping\/bind-columns|engine\/sql\/compile\/.+|testing\/.+)\.ts$/
    expect(importers.filter((file) => !allowed.test(file))).toEqual([])
  })

  test('only attribute types compare the type of an attribute; all other code reads their definitions', () => {
    const comparison = new RegExp(
      String.raw`\b(?:attribute_)?type\)? [!=]== '(?:${TYPE_NAMES.join('|')})'|\bcase '(?:${TYPE_NAMES.join('|')})':`,
    )
    const wrong = [...sources].filter(([, source]) => comparison.test(source)).map(([file]) => file)
    expect(wrong.filter((file) => !/^server\/engine\/attribute-types\/|\/testing\//.test(file))).toEqual([])
  })

  test('errors are logged in one form', () => {
    const wrong = [...sources].filter(([, source]) => /\bconsole\.(?:error|warn)\(/.test(source)).map(([file]) => file)
    const allowed = [
      'server/base/logging/log-error.ts',
      'server/main.ts',
      'server/run/cli/main.ts',
      'server/run/startup/installed-packages.ts',
      'server/testing/run.ts',
    ]
    expect(wrong.toSorted()).toEqual(allowed)
  })

  test('only request-url.ts parses the URL of a request', () => {
    const wrong = [...sources].filter(([, source]) => /\bnew (?:URL|Request)\(request\.url\b/.test(source))
    expect(wrong.map(([file]) => file).filter((file) => layerOf(file) !== 'testing')).toEqual([])
  })
})
