/** All operations of the service: those of its OpenAPI document, those of the public contract, and those in neither. */

import contract from '../contract/openapi.json'
import type { Request } from '../support/http/client'
import { validBodies } from './bodies'
import { exampleOf, type Schema } from './examples'
import type { ConsoleIds, Ids } from './fixtures'
import type { AnswerForm } from './form'
import hiddenRoutes from './hidden-routes.json'

export interface Operation {
  readonly method: string
  /** The path with parameter names in braces. */
  readonly template: string
  readonly query: readonly string[]
  /** A valid body; undefined for an operation without one. */
  readonly body: unknown
  /** Undefined for operations that need no token, and for those without scopes in the document. */
  readonly scopes: readonly string[] | undefined
  readonly form: AnswerForm
  /** Whether the OpenAPI document of the service has the operation. */
  readonly isServed: boolean
  /** Whether the operation needs the cookie of a session instead of a token. */
  readonly isOfConsole: boolean
  readonly endsSession: boolean
}

interface DocumentOperation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly security?: readonly object[]
  readonly 'x-required-scopes'?: readonly string[]
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
}

export async function listOperations(request: Request, ids: Ids & ConsoleIds): Promise<Operation[]> {
  const bodies = validBodies(ids)
  const withBody = (operation: Operation): Operation => ({
    ...operation,
    body: bodies[`${operation.method} ${operation.template}`] ?? operation.body,
  })
  const own = (await request('GET', '/openapi.json', undefined, { key: null })).body as Document
  const hidden = hiddenRoutes.flatMap(({ method, ...route }) =>
    (method === 'ALL' ? ['GET', 'POST', 'DELETE'] : [method]).map((each) =>
      hiddenOperation({ method: each, ...route }),
    ),
  )
  const listed = new Set(hidden.map(keyOf))
  // The document also has the OAuth endpoints; the list names the form of their responses.
  const served = operationsOf(own, ids, true).filter((each) => !listed.has(keyOf(each)))
  const known = new Set([...served, ...hidden].map(keyOf))
  // The type of the imported JSON is narrower than `Document`.
  const promised = operationsOf(contract as unknown as Document, ids, false).filter(
    (each) => !known.has(keyOf(each)) && !each.template.startsWith('/v2/{target}'),
  )
  return [...served, ...promised, ...hidden].map(withBody)
}

const keyOf = ({ method, template }: Operation): string => `${method} ${template.replaceAll(/\{\w+\}/g, '{}')}`

function operationsOf(document: Document, ids: Ids, isServed: boolean): Operation[] {
  const resolve = (ref: string): Schema =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((place, name) => Reflect.get(Object(place), name), document) ?? {}
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const [content] = Object.values(operation.requestBody?.content ?? {})
      const isOpen = operation.security !== undefined && operation.security.length === 0
      return {
        method: method.toUpperCase(),
        template,
        query: (operation.parameters ?? []).flatMap(({ name, in: place }) => (place === 'query' && name ? [name] : [])),
        body: content?.schema === undefined ? undefined : exampleOf(content.schema, resolve, ids),
        scopes: isOpen ? undefined : operation['x-required-scopes'],
        form: 'json',
        isServed,
        isOfConsole: false,
        endsSession: false,
      }
    }),
  )
}

interface HiddenRoute {
  readonly method: string
  readonly path: string
  readonly answers: string
  readonly query?: readonly string[]
  readonly body?: unknown
  readonly endsSession?: boolean
}

const hiddenOperation = ({ method, path, answers, query = [], body, endsSession = false }: HiddenRoute): Operation => ({
  method,
  template: path,
  query,
  body,
  scopes: undefined,
  form: answers as AnswerForm, // the file has no other forms
  isServed: true,
  isOfConsole: path.startsWith('/console/') || path === '/authorize',
  endsSession,
})

/** Returns a path to an existing thing. `given` overrides parameters. */
export function pathOf(
  template: string,
  ids: Ids & Partial<ConsoleIds>,
  given: Readonly<Record<string, string>> = {},
): string {
  return template
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name] ?? encodeURIComponent(idOf(template, name, ids)))
    .replaceAll('*', () => given['*'] ?? 'x')
}

export const parametersOf = (template: string): string[] => [
  ...[...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  ...(template.endsWith('*') ? ['*'] : []),
]

const OWNERS = [
  ['/v2/lists', 'list'],
  ['/v2/activities', 'activity'],
] as const

/** Returns the id for a parameter of a path. */
export function idOf(template: string, name: string, ids: Ids & Partial<ConsoleIds>): string {
  const owner = OWNERS.find(([path]) => template.startsWith(path))?.[1] ?? 'object'
  const kind = template.includes('/options') ? 'select' : template.includes('/statuses') ? 'status' : 'text'
  const known: Readonly<Record<string, string | undefined>> = {
    object: ids.object,
    list: ids.list,
    activity: ids.activity,
    identifier: ids.object,
    target: 'objects',
    attribute: ids.attributes[owner][kind],
    option: ids.option[owner],
    status: ids.status[owner],
    record_id: owner === 'activity' ? ids.activityRecord : ids.record,
    entry_id: ids.entry,
    view_id: { object: ids.view, list: ids.listView, activity: ids.activityView }[owner],
    task_id: ids.task,
    comment_id: ids.comment,
    thread_id: ids.thread,
    note_id: ids.note,
    meeting_id: ids.meeting,
    call_recording_id: ids.callRecording,
    file_id: ids.file,
    webhook_id: ids.webhook,
    delivery_id: ids.delivery,
    test_endpoint_id: ids.testEndpoint,
    dashboard_id: ids.dashboard,
    schedule_id: ids.schedule,
    job_id: ids.job,
    workspace_member_id: ids.member,
    workspace_id: ids.workspace,
    key_id: ids.key,
    app_id: ids.app,
    invitation_id: ids.invitation,
    import_id: ids.import,
  }
  // Routes of the console get a token or a session id that does not exist.
  return known[name] ?? (template.startsWith('/hooks') ? ids.hook : '01890a5d-ac96-774b-bcce-b302099a8057')
}
