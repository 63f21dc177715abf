/** Objects that journeys create for themselves through the API. */

import type { Console } from './journey'

interface AttributeInput {
  readonly title: string
  readonly api_slug: string
  readonly type: string
  readonly description: null
  readonly is_required: boolean
  readonly is_unique: boolean
  readonly is_multiselect: boolean
  readonly config: object
}

export const attribute = (
  title: string,
  api_slug: string,
  type: string,
  rules: Partial<Pick<AttributeInput, 'is_required' | 'is_unique' | 'is_multiselect' | 'config'>> = {},
): AttributeInput => ({
  title,
  api_slug,
  type,
  description: null,
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  config: {},
  ...rules,
})

const METALS = ['Brass', 'Steel', 'Tin']
const NAMES = ['Astrolabe', 'Barometer', 'Compass', 'Dividers', 'Engine', 'Furnace']

/** Instruments, in the order of their names, with an attribute for each way in which an edit can be refused. */
export async function seedInstruments({ v2 }: Console, slug: string): Promise<void> {
  if ((await v2('GET', `/objects/${slug}`)).status === 200) return
  await v2('POST', '/objects', { data: { api_slug: slug, singular_noun: 'Instrument', plural_noun: 'Instruments' } })
  const currency = { currency: { default_currency_code: 'EUR', display_type: 'symbol' } }
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Serial', 'serial', 'text', { is_unique: true }),
    attribute('Metals', 'metals', 'select', { is_multiselect: true }),
    attribute('Weight', 'weight', 'number'),
    attribute('Price', 'price', 'currency', { config: currency }),
    attribute('Website', 'website', 'domain'),
    attribute('Bought', 'bought', 'date'),
  ]) {
    await v2('POST', `/objects/${slug}/attributes`, { data })
  }
  for (const title of METALS) await v2('POST', `/objects/${slug}/attributes/metals/options`, { data: { title } })
  for (const [index, name] of NAMES.entries()) {
    const values = { name, serial: `S-${index + 1}`, weight: index + 1, price: 10, bought: '2024-05-06' }
    await v2('POST', `/objects/${slug}/records`, { data: { values } })
  }
}

/** What the API has of the only record with this name. */
export async function recordNamed({ v2 }: Console, slug: string, name: string) {
  const { body } = await v2('POST', `/objects/${slug}/records/query`, { filter: { name } })
  if (body.data.length !== 1) throw new Error(`${body.data.length} records are named ${name}.`)
  return body.data[0]
}
