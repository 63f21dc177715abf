/** An object with more records than fit on a screen, for journeys through tables. */

import type { Console } from './journey'
import { attribute } from './seed'

export const STARTUPS = 'startups'
export const COUNT = 1200
/** The operations of a request. */
const BATCH = 600

const STAGES = ['Idea', 'Growing', 'Sold']

/** Creates "Startup 0001" to "Startup 1200" in this order, which is the order of tables. */
export async function seedStartups(console: Console): Promise<void> {
  const { v2 } = console
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
  await createAll(console)
}

/** Tables are sorted by creation, and the records of a batch are created in its order. */
async function createAll({ v2 }: Console): Promise<void> {
  const operations = Array.from({ length: COUNT }, (_, at) => ({
    op: 'create',
    values: {
      name: `Startup ${String(at + 1).padStart(4, '0')}`,
      stage: STAGES[(at + 1) % STAGES.length],
      raised: (at + 1) * 1000,
      founded: `${2000 + ((at + 1) % 25)}-03-01`,
    },
  }))
  for (let at = 0; at < COUNT; at += BATCH) {
    const data = { operations: operations.slice(at, at + BATCH) }
    const { body } = await v2('POST', `/objects/${STARTUPS}/records/batch?return=ids`, { data })
    if (body.data?.succeeded !== data.operations.length)
      throw new Error(`A batch failed: ${JSON.stringify(body).slice(0, 1000)}`)
  }
}
