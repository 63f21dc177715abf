/** Short functions that send requests about attributes. */

import type { Client } from './client'

let count = 0

/** The body of a text attribute with a new slug. `members` override its members. */
export const attributeInput = (members: Record<string, unknown> = {}) => ({
  title: 'A title',
  description: null as string | null,
  api_slug: `attribute_${++count}`,
  type: 'text',
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  config: {},
  ...members,
})

/** Requests about attributes of objects, by the slug of the object. */
export function attributeClient({ request }: { request: Client }) {
  const path = (object: string, attribute = '') => `/v2/objects/${object}/attributes${attribute && `/${attribute}`}`
  return {
    create: (object: string, data: unknown) => request('POST', path(object), { data }),
    get: (object: string, attribute: string) => request('GET', path(object, attribute)),
    update: (object: string, attribute: string, data: unknown) => request('PATCH', path(object, attribute), { data }),
    remove: (object: string, attribute: string) => request('DELETE', path(object, attribute)),
    list: async (object: string, query = '') => (await request('GET', path(object) + query)).body.data,
    /** Creates a custom object and returns its slug. */
    async object(): Promise<string> {
      const api_slug = `thing_${++count}`
      const data = { api_slug, singular_noun: `Thing ${count}`, plural_noun: `Things ${count}` }
      const { status } = await request('POST', '/v2/objects', { data })
      if (status !== 200) throw new Error(`The object ${api_slug} was not created.`)
      return api_slug
    },
    async record(object: string, values: unknown): Promise<string> {
      const { status, body } = await request('POST', `/v2/objects/${object}/records`, { data: { values } })
      if (status !== 200) throw new Error(`No record of ${object} was created: ${body.message}`)
      return body.data.id.record_id
    },
    values: async (object: string, id: string) =>
      (await request('GET', `/v2/objects/${object}/records/${id}`)).body.data.values,
  }
}
