/** Deletes and restores records, for tests. */

import type { RequestOptions } from './client'
import type { TestService } from './service'

export function trashClient({ request }: Pick<TestService, 'request'>) {
  const path = (object: string, id: string) => `/v2/objects/${object}/records/${id}`
  return {
    async create(object: string, values: object = {}): Promise<string> {
      const { status, body } = await request('POST', `/v2/objects/${object}/records`, { data: { values } })
      if (status !== 200) throw new Error(`The record of ${object} was refused: ${body.message}`)
      return body.data.id.record_id
    },
    get: (object: string, id: string) => request('GET', path(object, id)),
    async values(object: string, id: string) {
      const { status, body } = await request('GET', path(object, id))
      if (status !== 200) throw new Error(`The record of ${object} is missing: ${body.message}`)
      return body.data.values
    },
    update: (object: string, id: string, values: object) => request('PATCH', path(object, id), { data: { values } }),
    remove: (object: string, id: string, options?: RequestOptions) =>
      request('DELETE', path(object, id), undefined, options),
    purge: (object: string, id: string) => request('DELETE', `${path(object, id)}?permanent=true`),
    restore: (object: string, id: string, options?: RequestOptions) =>
      request('POST', `${path(object, id)}/restore`, undefined, options),
    list: (object: string, query = '', options?: RequestOptions) =>
      request('GET', `/v2/objects/${object}/records/trash${query}`, undefined, options),
    async history(object: string, id: string, attribute: string) {
      const { body } = await request('GET', `${path(object, id)}/attributes/${attribute}/values?show_historic=true`)
      return body.data
    },
  }
}

/** A value that refers to a record. */
export const reference = (target_object: string, target_record_id: string) => ({ target_object, target_record_id })

export const targetsOf = (values: readonly { readonly target_record_id: string }[]): string[] =>
  values.map(({ target_record_id }) => target_record_id)
