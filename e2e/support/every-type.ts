/** The service of the files about values: an object with every kind of attribute, and records to refer to. */

import { EVERY_ATTRIBUTE, makeObject } from './model'
import { type Service, startService } from './service'
import { createRecord, type Place, recordIdOf } from './value-cases'

/** The object with one attribute of each kind. */
export const EVERYTHING = 'everything'

export interface ValueService extends Omit<Service, 'crash'> {
  readonly member: { readonly id: string; readonly email_address: string }
  /** Records that can be referred to. */
  readonly person: string
  readonly company: string
  place(attribute: string, object?: string): Place
}

export const ADMIN = 'admin@relata.local'
export const PERSON_ADDRESS = 'ada@relata.dev'
export const COMPANY_DOMAIN = 'relata.dev'

export async function startValueService(): Promise<ValueService> {
  const service = await startService()
  const { request } = service
  await makeObject(request, EVERYTHING, EVERY_ATTRIBUTE)
  const person = recordIdOf(await createRecord(request, 'people', { email_addresses: [PERSON_ADDRESS] }))
  const company = recordIdOf(await createRecord(request, 'companies', { domains: [COMPANY_DOMAIN] }))
  const { body } = await request('GET', '/v2/self')
  const member = { id: String(body.authorized_by_workspace_member_id), email_address: ADMIN }
  const place = (attribute: string, object = EVERYTHING): Place => ({ request, object, attribute })
  return { ...service, member, person, company, place }
}
