/** Makes requests for an operation, with its credentials, and limits their number to what a run has time for. */

import fc from 'fast-check'
import type { Attacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { type Operation, pathOf } from './operations'

/** RELATA_ATTACK=long sends all requests. RELATA_ATTACK_SEED changes the choice of a short run. */
export const IS_LONG = process.env.RELATA_ATTACK === 'long'
const SEED = Number(process.env.RELATA_ATTACK_SEED ?? 1)

/** Returns all items in a long run, else `count` of them, the same in each run. */
export function someOf<T>(all: readonly T[], count: number, about: string): readonly T[] {
  if (IS_LONG || all.length <= count) return all
  const [some = []] = fc.sample(fc.shuffledSubarray([...all], { minLength: count, maxLength: count }), {
    seed: SEED + Number(Bun.hash.crc32(about)),
    numRuns: 1,
  })
  return some
}

export const numRuns = (usual: number): number => (IS_LONG ? 50 * usual : usual)
export const seed = SEED

/** Returns a valid request, from which hostile requests are made. */
export function requestFor(
  { ids, key, browser }: Attacked,
  operation: Operation,
  about: string,
  more: Partial<HostileRequest> = {},
): HostileRequest {
  const { method, template, form, isOfConsole, endsSession } = operation
  const credentials = isOfConsole ? sessionHeaders(browser.headers, endsSession) : bearerOf(form, key)
  const workspace: Record<string, string> = template.startsWith('/console/v2') ? { 'X-Workspace': ids.workspace } : {}
  const path = more.path ?? pathOf(template, ids) + requiredQuery(method, template)
  const { headers, ...others } = more
  return {
    about,
    method,
    path,
    form,
    ...others,
    headers: { 'Content-Type': 'application/json', ...credentials, ...workspace, ...headers },
  }
}

/** Clients of OAuth authenticate in the body. */
const bearerOf = (form: Operation['form'], key: string): Record<string, string> =>
  form === 'oauth' ? {} : { Authorization: `Bearer ${key}` }

const requiredQuery = (method: string, template: string): string =>
  method === 'PUT' && template.endsWith('/records') ? '?matching_attribute=emails' : ''

/** A request that ends a session is sent without its cookie, because later requests need the session. */
const sessionHeaders = (headers: Readonly<Record<string, string>>, endsSession: boolean) =>
  endsSession ? { 'Sec-Fetch-Site': 'same-origin' } : headers

/** Returns the paths of all parts of a value. */
export function placesIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))]
}

/** Renders a value as JSON with another text at one path. Undefined leaves the member out. */
export function jsonWith(
  value: unknown,
  [name, ...rest]: readonly (string | number)[],
  text: string | undefined,
): string {
  if (name === undefined) return text ?? ''
  const members = Object.entries(Object(value)).flatMap(([key, member]) => {
    const isChanged = key === String(name)
    if (isChanged && rest.length === 0 && text === undefined) return []
    const json = isChanged ? jsonWith(member, rest, text) : JSON.stringify(member)
    return Array.isArray(value) ? [json] : [`${JSON.stringify(key)}:${json}`]
  })
  return Array.isArray(value) ? `[${members.join()}]` : `{${members.join()}}`
}
