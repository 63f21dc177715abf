/** Makes workspaces with an admin and a key each, and a company and people through the API. */

import { connect, type Database } from '#db/connect'
import { createSecretCipher } from '#db/secret-keys'
import { TEST_SECRET_KEYS } from '#testing/database'
import { createMember } from '#access/members/members'
import { createToken } from '#access/tokens/tokens'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { systemClock } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import type { Side } from '../measure/measure'
import { send } from './requests'

const AT_ONCE = 2
const PEOPLE = 6
const now = systemClock()

/** A backend takes about a megabyte for each workspace that it makes, and frees it when its connection ends. */
const PER_CONNECTION = 250

/** Returns the key of each workspace. */
export async function makeWorkspaces(url: string, count: number): Promise<string[]> {
  const keys: string[] = []
  for (let first = 0; first < count; first += PER_CONNECTION) {
    const db = connect(url, { max: AT_ONCE, secrets: createSecretCipher(TEST_SECRET_KEYS) })
    keys.push(...(await makeSome(db, first, Math.min(PER_CONNECTION, count - first))))
    await db.close()
  }
  return keys
}

async function makeSome(db: Database, first: number, count: number): Promise<string[]> {
  const keys: string[] = []
  await inParallel(count, async (index) => {
    const number = first + index
    const slug = `growth-${number}`
    const { id } = await createWorkspace(db, { name: `Growth ${number}`, slug, now: now() })
    const email_address = `admin@${slug}.example`
    const admin = { first_name: 'Ada', last_name: 'Lovelace', email_address, access_level: 'admin', account_id: null }
    const member = await createMember(db, id, { ...admin, access_level: 'admin' }, now())
    const key = { workspaceId: id, name: 'Growth', scopes: READ_WRITE_SCOPES, authorizedBy: member.id, now: now() }
    keys.push((await createToken(db, key)).token)
  })
  return keys
}

/** Writes the data of each workspace. */
export const writeData = (service: Pick<Side, 'port'>, keys: readonly string[]): Promise<void> =>
  inParallel(keys.length, async (number) => {
    const key = String(keys[number])
    const company = await send(service.port, key, 'POST', '/v2/objects/companies/records', {
      data: { values: { name: `Company ${number}`, domains: [`company-${number}.com`] } },
    })
    for (let person = 0; person < PEOPLE; person++) {
      const values = {
        name: `Person ${person} of ${number}`,
        email_addresses: [`person-${person}@company-${number}.com`],
        company: company.data.id.record_id,
      }
      await send(service.port, key, 'POST', '/v2/objects/people/records', { data: { values } })
    }
  })

async function inParallel(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
