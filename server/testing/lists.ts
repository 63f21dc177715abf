/** Short functions that send requests about lists and entries. */

import { attributeInput } from './attributes'
import type { Client, RequestOptions } from './client'

let count = 0

/** The body of a list of people with full access for the workspace. `members` override its members. */
export const listInput = (members: Record<string, unknown> = {}) => ({
  name: 'A list',
  api_slug: `list_${++count}`,
  parent_object: 'people',
  workspace_access: 'full-access',
  workspace_member_access: [],
  ...members,
})

export function listClient({ request }: { request: Client }) {
  const ask = async (method: string, path: string, data: unknown) => {
    const { status, body } = await request(method, path, { data })
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${body.message}`)
    return body.data
  }
  const entries = (list: string, entry = '') => `/v2/lists/${list}/entries${entry && `/${entry}`}`
  const entryBody = (parent_record_id: string, entry_values: unknown, more: object) => ({
    data: { parent_object: 'people', parent_record_id, entry_values, ...more },
  })
  return {
    /** Creates a list and returns its slug. */
    async list(members: Record<string, unknown> = {}): Promise<string> {
      return (await ask('POST', '/v2/lists', listInput(members))).api_slug
    },
    /** Creates a list with these attributes and returns its slug. */
    async listWith(attributes: Readonly<Record<string, Record<string, unknown>>>): Promise<string> {
      const { api_slug } = await ask('POST', '/v2/lists', listInput())
      for (const [slug, members] of Object.entries(attributes))
        await ask('POST', `/v2/lists/${api_slug}/attributes`, attributeInput({ api_slug: slug, ...members }))
      return api_slug
    },
    attribute: (list: string, api_slug: string, members: Record<string, unknown> = {}) =>
      ask('POST', `/v2/lists/${list}/attributes`, attributeInput({ api_slug, ...members })),
    async record(object = 'people', values: unknown = {}): Promise<string> {
      return (await ask('POST', `/v2/objects/${object}/records`, { values })).id.record_id
    },
    /** Creates an entry and returns its id. */
    async entry(list: string, record: string, values: unknown = {}): Promise<string> {
      return (await ask('POST', entries(list), entryBody(record, values, {}).data)).id.entry_id
    },
    create: (list: string, record: string, values: unknown = {}, more: object = {}) =>
      request('POST', entries(list), entryBody(record, values, more)),
    upsert: (list: string, record: string, values: unknown = {}, more: object = {}) =>
      request('PUT', entries(list), entryBody(record, values, more)),
    get: (list: string, entry: string) => request('GET', entries(list, entry)),
    update: (
      method: 'PATCH' | 'PUT',
      list: string,
      entry: string,
      entry_values: unknown,
      more: object = {},
      options: RequestOptions = {},
    ) => request(method, entries(list, entry), { data: { entry_values, ...more } }, options),
    remove: (list: string, entry: string, options: RequestOptions = {}) =>
      request('DELETE', entries(list, entry), undefined, options),
    query: (list: string, body?: unknown) => request('POST', `${entries(list)}/query`, body),
    ofRecord: (record: string, query = '', object = 'people') =>
      request('GET', `/v2/objects/${object}/records/${record}/entries${query}`),
  }
}
