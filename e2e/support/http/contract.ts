/** Checks that every response follows the public contract. */

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import document from '../../contract/openapi.json'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema({ $id: 'contract', ...document })

const judges = new Map<string, ValidateFunction>()

/** Compiles a schema with its first use, because a file uses few operations. */
function judge(pointer: string): ValidateFunction {
  const known = judges.get(pointer)
  if (known) return known
  const compiled = ajv.compile({ $ref: `contract#${pointer}` })
  judges.set(pointer, compiled)
  return compiled
}

/** The violation of the contract in a response, if any. Errors have the same envelope on every path, except those of SCIM. */
export function breach(method: string, path: string, status: number, body: unknown): string | undefined {
  if (status >= 400)
    return isForScim(path) ? broken(judge('/components/schemas/scim-error'), body) : breachOfEnvelope(status, body)
  const template = templateOf(method, path)
  // Routes of ours are not part of the contract.
  if (template === undefined) return undefined
  const pointer = ['', 'paths', template, method.toLowerCase(), 'responses', String(status)].map(escaped).join('/')
  const promised = findResponse(template, method, status)
  if (promised === undefined) return `${status} is no answer of ${method} ${template}`
  // The response has no body, or only forms other than JSON.
  if (promised.content === undefined || !('application/json' in promised.content)) return undefined
  return broken(judge(`${pointer}/content/application~1json/schema`), body)
}

export const isForScim = (path: string): boolean => path.startsWith('/scim/')

function breachOfEnvelope(status: number, body: unknown): string | undefined {
  const isEnvelope = judge('/components/schemas/error')
  const problem = broken(isEnvelope, body)
  if (problem !== undefined) return problem
  const { status_code: said } = body as { status_code: number } // the schema of errors requires it
  return said === status ? undefined : `status_code is ${said}, the status ${status}`
}

const broken = (fits: ValidateFunction, body: unknown): string | undefined =>
  fits(body) ? undefined : `${ajv.errorsText(fits.errors)} in ${JSON.stringify(body)?.slice(0, 1500)}`

const escaped = (segment: string): string => encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))

interface PromisedResponse {
  readonly content?: object
}

type Operations = Readonly<
  Record<string, { readonly responses: Readonly<Record<string, PromisedResponse | undefined>> } | undefined>
>

const paths: readonly (readonly [string, Operations])[] = Object.entries(document.paths) as never // the type of the imported JSON is narrower

const findResponse = (template: string, method: string, status: number): PromisedResponse | undefined =>
  paths.find(([path]) => path === template)?.[1][method.toLowerCase()]?.responses[status]

/** The path of the contract that matches a request. Of several matches, the one with the most fixed segments. */
function templateOf(method: string, path: string): string | undefined {
  // A trailing slash does not change the path.
  const segments = path.replace(/\/$/, '').split('/')
  const fitting = paths.filter(([template, methods]) => {
    const parts = template.split('/')
    return (
      method.toLowerCase() in methods &&
      parts.length === segments.length &&
      parts.every((part, at) => stands(part, segments[at]))
    )
  })
  return fitting.sort(([a], [b]) => a.split('{').length - b.split('{').length)[0]?.[0]
}

function stands(part: string, segment: string | undefined): boolean {
  if (part === '{target}') return ['objects', 'lists', 'activities'].includes(segment ?? '')
  return part.startsWith('{') || part === segment
}
