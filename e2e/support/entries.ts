/** Entries for tests, made over the API. */

import type { Answer, Request, RequestOptions } from './client'

export type EntryClient = ReturnType<typeof entryClient>

/** Asks about the entries of one list, whose records are of one object. */
export function entryClient(request: Request, list: string, object = 'people') {
  const path = (entry = '') => `/v2/lists/${list}/entries${entry && `/${entry}`}`
  const whole = (parent_record_id: string, entry_values: unknown, more: object) => ({
    data: { parent_object: object, parent_record_id, entry_values, ...more },
  })
  return {
    path,
    create: (record: string, values: unknown = {}, more: object = {}) =>
      request('POST', path(), whole(record, values, more)),
    assert: (record: string, values: unknown = {}, more: object = {}) =>
      request('PUT', path(), whole(record, values, more)),
    get: (entry: string) => request('GET', path(entry)),
    write: (method: 'PATCH' | 'PUT', entry: string, entry_values: unknown, options?: RequestOptions) =>
      request(method, path(entry), { data: { entry_values } }, options),
    remove: (entry: string) => request('DELETE', path(entry)),
    query: (body?: unknown) => request('POST', `${path()}/query`, body),
  }
}

/** The id of an entry that must have been made. */
export function entryIdOf({ status, body }: Answer): string {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return String(body.data.id.entry_id)
}
