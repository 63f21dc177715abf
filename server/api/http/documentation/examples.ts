/**
 * Adds the examples of the reference pages to the OpenAPI document. Tests run these examples against a service.
 * See docs/reference/README.md (Examples).
 */

import { join } from 'node:path'

const FOLDER = join(import.meta.dir, '../../../../docs/reference')

const PLACEHOLDER = /<(?:(id|time|text|number)(?:: )?)?([^<>]*)>/g
/** Members and elements that a page leaves out. */
const LEFT_OUT = '…'

const EXAMPLE_OF = {
  id: '018f3c2e-7b1a-7c3d-9e4f-5a6b7c8d9e0f',
  time: '2026-01-02T03:04:05.000000000Z',
  text: 'Text',
  number: 1,
} as const

type Kind = keyof typeof EXAMPLE_OF

interface MediaType {
  example?: unknown
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>
}

export interface Paths {
  readonly [path: string]: Readonly<Record<string, Operation>>
}

/** Changes `paths`: each operation gets the first complete example of a body that is accepted, and of a response. */
export async function addExamples(paths: Paths): Promise<void> {
  for (const file of [...new Bun.Glob('*.md').scanSync({ cwd: FOLDER })].sort()) {
    const page = await Bun.file(join(FOLDER, file)).text()
    const kinds = kindsOf(page)
    for (const { method, path, request, status, response } of readPairs(page)) {
      const operation = findOperation(paths, method, path)
      const isComplete = status < '400' && !hasText(request, kinds)
      if (isComplete) addExample(operation?.requestBody?.content, bodyOf(request, kinds))
      addExample(operation?.responses[status]?.content, bodyOf(response, kinds))
    }
  }
}

/** The examples of a page: a block with a request, and one with its response. */
function readPairs(page: string) {
  // Texts outside and inside of fences alternate.
  const inside = page.split(/^```/m).filter((_, at) => at % 2 === 1)
  const blocks = inside.filter((block) => block.startsWith('http')).map((block) => block.slice(block.indexOf('\n') + 1))
  return blocks.flatMap((request, at) => {
    const response = blocks[at + 1] ?? ''
    if (!response.startsWith('HTTP/')) return []
    const [method = '', path = ''] = (request.split('\n', 1)[0] ?? '').split(' ')
    return [{ method, path, request, status: response.split(' ', 2)[1] ?? '', response }]
  })
}

/** Which kind of value each name of the page stands for. */
const kindsOf = (page: string): ReadonlyMap<string, Kind> =>
  new Map(
    [...page.matchAll(/<(id|time|text|number): ([^<>]+)>/g)].map(([, kind, name]) => [name ?? '', kind as Kind]), // the pattern has the kinds alone
  )

/** Whether a request has a text of an earlier response, such as a URL, for which no other text can stand. */
const hasText = (request: string, kinds: ReadonlyMap<string, Kind>): boolean =>
  [...request.matchAll(PLACEHOLDER)].some(([, , name = '']) => kinds.get(name) === 'text')

function findOperation(paths: Paths, method: string, path: string): Operation | undefined {
  const segments = (path.split('?')[0] ?? '').split('/')
  const templates = Object.keys(paths).filter((template) => {
    const parts = template.split('/')
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at])
  })
  const [closest] = templates.toSorted((a, b) => a.split('{').length - b.split('{').length)
  return closest === undefined ? undefined : paths[closest]?.[method.toLowerCase()]
}

/** The body after headers and an empty line. Undefined without one, and for one of which the page leaves out members. */
function bodyOf(block: string, kinds: ReadonlyMap<string, Kind>): unknown {
  const start = block.search(/^\{/m)
  const text = start === -1 ? '' : block.slice(start)
  return text === '' || text.includes(LEFT_OUT) ? undefined : withValues(JSON.parse(text), kinds)
}

/** Replaces placeholders by values. */
function withValues(value: unknown, kinds: ReadonlyMap<string, Kind>): unknown {
  if (Array.isArray(value)) return value.map((each) => withValues(each, kinds))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withValues(each, kinds)]))
  if (typeof value !== 'string') return value
  const valueOf = (kind: string | undefined, name: string) => EXAMPLE_OF[(kind as Kind) ?? kinds.get(name) ?? 'id'] // as in the pattern
  const [whole, kind, name = ''] = [...value.matchAll(PLACEHOLDER)][0] ?? []
  if (whole === value) return valueOf(kind, name)
  return value.replaceAll(PLACEHOLDER, (_, kind: string | undefined, name: string) => String(valueOf(kind, name)))
}

function addExample(content: Readonly<Record<string, MediaType>> | undefined, body: unknown): void {
  const media = content?.['application/json']
  if (media !== undefined && body !== undefined) media.example ??= body
}
