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

/**
 * Devices, in the order of their names, with an attribute for each way in which an edit can be refused. Each journey
 * names its object, such as `gadget` for `gadgets`: two objects of a workspace cannot have the same name.
 */
export async function seedDevices({ v2, create }: Console, noun: string): Promise<void> {
  const slug = `${noun}s`
  if (await isSeeded(v2, slug)) return
  const singular_noun = noun.charAt(0).toUpperCase() + noun.slice(1)
  await create('/objects', { api_slug: slug, singular_noun, plural_noun: `${singular_noun}s` })
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
    await create(`/objects/${slug}/attributes`, data)
  }
  for (const title of METALS) await create(`/objects/${slug}/attributes/metals/options`, { title })
  for (const [index, name] of NAMES.entries()) {
    const values = { name, serial: `S-${index + 1}`, weight: index + 1, price: 10, bought: '2024-05-06' }
    await create(`/objects/${slug}/records`, { values })
  }
}

/** A journey that starts again after a failure finds its devices. Throws for an object that another journey created. */
async function isSeeded(v2: Console['v2'], slug: string): Promise<boolean> {
  if ((await v2('GET', `/objects/${slug}`)).status === 404) return false
  if ((await v2('GET', `/objects/${slug}/attributes/bought`)).status === 200) return true
  throw new Error(`The object ${slug} is not from seedDevices. Two journeys use the same noun.`)
}

/** The only record with this name, from the API. */
export async function recordNamed({ v2 }: Console, slug: string, name: string) {
  const { status, body } = await v2('POST', `/objects/${slug}/records/query`, { filter: { name } })
  if (status !== 200) throw new Error(`${status} ${body.message}`)
  if (body.data.length !== 1) throw new Error(`${body.data.length} records are named ${name}.`)
  return body.data[0]
}
