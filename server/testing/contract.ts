/** Validates the responses of every test against the public contract of the API. */

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import document from '../../e2e/contract/openapi.json'

interface Operation {
  readonly id: string
  readonly method: string
  readonly template: readonly string[]
  /** The schemas of the bodies by status. `4XX` applies to all statuses from 400 to 499. */
  readonly bodies: ReadonlyMap<string, ValidateFunction>
}

// The contract may have members that JSON Schema does not define.
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema({ $id: 'contract', ...document })

const compile = (pointer: string): ValidateFunction => ajv.compile({ $ref: `contract#${pointer}` })

const isEnvelope = compile('/components/schemas/error')
const isScimError = compile('/components/schemas/scim-error')
const operations = readOperations()

/** Returns the operation of the contract for a request; undefined for a route that the contract does not have. */
export function findOperation(method: string, path: string): Operation | undefined {
  const segments = path.split('/').filter(Boolean)
  return operations.find((operation) => operation.method === method && matches(operation.template, segments))
}

/** Throws when a response does not match the contract. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  if (status >= 400) return checkError(method, path, status, body)
  const operation = findOperation(method, path)
  if (operation === undefined) return
  const hasBody = operation.bodies.get(String(status)) ?? operation.bodies.get(`${String(status)[0]}XX`)
  if (hasBody === undefined)
    throw new Error(`${method} ${path} answered ${status}, which the contract of ${operation.id} does not know.`)
  if (!hasBody(body)) throw broken(`${method} ${path} ${status} breaks the contract of ${operation.id}`, hasBody, body)
}

const isEvent = lazily('/components/schemas/webhook-event')

/** Throws when an event does not match the contract. */
export function checkEvent(event: unknown): void {
  if (!isEvent(event)) throw broken('An event breaks the contract', isEvent, event)
}

function checkError(method: string, path: string, status: number, body: unknown): void {
  if (!path.startsWith('/scim/')) return checkEnvelope(method, path, status, body)
  if (!isScimError(body)) throw broken(`${method} ${path} ${status} has no error of SCIM`, isScimError, body)
}

function checkEnvelope(method: string, path: string, status: number, body: unknown): void {
  if (!isEnvelope(body)) throw broken(`${method} ${path} ${status} has no error envelope`, isEnvelope, body)
  const { status_code: statusCode } = body as { status_code: unknown } // the schema of errors, checked above, requires it
  if (statusCode !== status) throw new Error(`${method} ${path} answered ${status} with status_code ${statusCode}.`)
}

const broken = (what: string, judge: ValidateFunction, body: unknown) =>
  new Error(`${what}: ${ajv.errorsText(judge.errors)}\n${JSON.stringify(body)?.slice(0, 2000)}`)

/** Templates with more fixed segments come first, so that `/objects/records/search` is no `/objects/{object}/…`. */
function readOperations(): Operation[] {
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, RawOperation>).map(([method, raw]) => ({
      id: raw.operationId,
      method: method.toUpperCase(),
      template: path.split('/').filter(Boolean),
      bodies: readBodies(path, method, raw),
    })),
  )
  return found.toSorted((a, b) => parameters(a.template) - parameters(b.template))
}

function readBodies(path: string, method: string, { responses }: RawOperation): Map<string, ValidateFunction> {
  const bodies = new Map<string, ValidateFunction>()
  for (const [status, { content }] of Object.entries(responses)) {
    const type = Object.keys(content ?? {}).find((name) => name.includes('json'))
    const pointer = ['paths', path, method, 'responses', status, 'content', type ?? '', 'schema'].map(escape).join('/')
    bodies.set(status, type === undefined ? ajv.compile({}) : lazily(`/${pointer}`))
  }
  return bodies
}

/** Compiles a schema at its first use, because a test uses few of them. */
function lazily(pointer: string): ValidateFunction {
  let judge: ValidateFunction | undefined
  const check = (body: unknown): boolean => {
    judge ??= compile(pointer)
    const fits = judge(body)
    check.errors = judge.errors
    return fits
  }
  check.errors = undefined as ValidateFunction['errors']
  return check as ValidateFunction // only the call and `errors` are used
}

function escape(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function parameters(template: readonly string[]): number {
  return template.filter((segment) => segment.startsWith('{')).length
}

const matches = (template: readonly string[], segments: readonly string[]) =>
  template.length === segments.length && template.every((part, index) => fits(part, segments[index]))

/** `{target}` matches only three words. */
const fits = (part: string, segment: string | undefined) =>
  part === '{target}'
    ? ['objects', 'lists', 'activities'].includes(segment ?? '')
    : part.startsWith('{') || part === segment

interface RawOperation {
  operationId: string
  responses: Record<string, { content?: Record<string, unknown> }>
}
