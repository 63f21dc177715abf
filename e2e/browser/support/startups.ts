/** An object with more records than fit on a screen, for journeys through tables. */

import type { Console } from './journey'
import { attribute } from './seed'

export const STARTUPS = 'startups'
export const COUNT = 1200

const STAGES = ['Idea', 'Growing', 'Sold']

/** Creates "Startup 0001" to "Startup 1200" in this order, which is the order of tables. */
export async function seedStartups({ v2, settings }: Console, url: string): Promise<void> {
  const there = await v2('GET', `/objects/${STARTUPS}`)
  if (there.status === 200) return
  await v2('POST', '/objects', {
    data: { api_slug: STARTUPS, singular_noun: 'Startup', plural_noun: 'Startups' },
  })
  const currency = { currency: { default_currency_code: 'EUR', display_type: 'symbol' } }
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Stage', 'stage', 'select'),
    attribute('Raised', 'raised', 'currency', { config: currency }),
    attribute('Founded', 'founded', 'date'),
  ]) {
    await v2('POST', `/objects/${STARTUPS}/attributes`, { data })
  }
  for (const title of STAGES) await v2('POST', `/objects/${STARTUPS}/attributes/stage/options`, { data: { title } })
  const scopes = ['record_permission:read-write', 'object_configuration:read']
  const { body } = await settings('POST', '/keys', { name: 'Seed', scopes })
  await createAll(url, body.data.token)
}

/** Records are sorted by creation. Records of one round are only distinguished by their names. */
async function createAll(url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const create = async (index: number) => {
    const values = {
      name: `Startup ${String(index).padStart(4, '0')}`,
      stage: STAGES[index % STAGES.length],
      raised: index * 1000,
      founded: `${2000 + (index % 25)}-03-01`,
    }
    const body = JSON.stringify({ data: { values } })
    const answer = await fetch(`${url}/v2/objects/${STARTUPS}/records`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const left = Array.from({ length: COUNT }, (_, at) => at + 1)
  const work = async () => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) await create(index)
  }
  await Promise.all(Array.from({ length: 12 }, work))
}
