/** A custom object with an attribute of every type, archived options, a relationship with itself, a list, a view and a team. */

import { attributeInput } from '#testing/attributes'
import { listInput } from '#testing/lists'
import type { TestService } from '#testing/service'
import { dataOf } from './data-of'

/** Types that take values of this form, single and, where the type allows it, multiple. */
const TYPES = [
  'text',
  'number',
  'checkbox',
  'currency',
  'date',
  'timestamp',
  'rating',
  'select',
  'status',
  'domain',
  'email-address',
  'phone-number',
  'location',
  'actor-reference',
  'record-reference',
] as const

const MULTISELECT = [
  'select',
  'domain',
  'email-address',
  'phone-number',
  'actor-reference',
  'record-reference',
] as const

const slugOf = (type: string, isMultiselect: boolean) =>
  `${isMultiselect ? 'many' : 'one'}_${type.replaceAll('-', '_')}`

const configOf = (type: string) =>
  type === 'currency'
    ? { currency: { default_currency_code: 'EUR', display_type: 'symbol' } }
    : type === 'record-reference'
      ? { record_reference: { allowed_objects: ['ships', 'people', 'companies'] } }
      : {}

export async function fillModel(service: TestService): Promise<void> {
  const post = dataOf(service, 'POST')
  const patch = dataOf(service, 'PATCH')
  await post('/objects', { api_slug: 'ships', singular_noun: 'Ship', plural_noun: 'Ships' })
  const of = '/objects/ships/attributes'
  await post(of, attributeInput({ title: 'Name', api_slug: 'name' }))
  await post(of, attributeInput({ title: 'Number of the hull', api_slug: 'hull', is_unique: true }))
  const all = [...TYPES.map((type) => [type, false] as const), ...MULTISELECT.map((type) => [type, true] as const)]
  for (const [type, is_multiselect] of all) {
    const api_slug = slugOf(type, is_multiselect)
    await post(of, attributeInput({ title: api_slug, api_slug, type, is_multiselect, config: configOf(type) }))
  }
  for (const slug of ['one_select', 'many_select'])
    for (const title of ['Brig', 'Sloop', 'Old “form”\t'])
      await post(`${of}/${slug}/options`, { title, color: title === 'Brig' ? 'blue' : null })
  for (const title of ['Afloat', 'Sunk', 'Scrapped']) {
    await post(`${of}/one_status/statuses`, {
      title,
      celebration_enabled: title === 'Afloat',
      target_time_in_status: 'P1D',
    })
  }
  const relationship = { object: 'ships', title: 'Escorted by', api_slug: 'escorted_by', is_multiselect: true }
  await post(of, attributeInput({ title: 'Escorts', api_slug: 'escorts', type: 'record-reference', relationship }))
  const formula = "concat_ws(' ', name, one_select, one_number * 2, cardinality(many_domain))"
  await post(of, attributeInput({ title: 'Computed', api_slug: 'computed', computed: { formula, tracked: true } }))
  const ofClock = "concat_ws(' ', name, computed, current_date - current_date)"
  await post(of, attributeInput({ title: 'Of the clock', api_slug: 'of_clock', computed: { formula: ofClock } }))
  await post(of, attributeInput({ title: 'Gone', api_slug: 'gone' }))
  await post(
    of,
    attributeInput({
      title: 'Port',
      api_slug: 'port',
      default_value: { type: 'static', template: [{ value: 'Oslo' }] },
    }),
  )
  await post('/lists', listInput({ name: 'Fleet', api_slug: 'fleet', parent_object: 'ships' }))
  await post('/lists', listInput({ name: 'Guests', api_slug: 'guests', parent_object: ['people', 'companies'] }))
  const total = { through: 'fleet', function: 'count' }
  await post(
    of,
    attributeInput({
      title: 'Entries',
      api_slug: 'entries',
      type: 'number',
      computed: { rollup: total, tracked: true },
    }),
  )
  await post(
    '/lists/fleet/attributes',
    attributeInput({ title: 'Name', api_slug: 'name', computed: { lookup: ['parent_record', 'name'], tracked: true } }),
  )
  await post('/lists/fleet/attributes', attributeInput({ title: 'Stage', api_slug: 'stage', type: 'status' }))
  for (const title of ['First', 'Last']) await post('/lists/fleet/attributes/stage/statuses', { title })
  await post('/lists/fleet/attributes', attributeInput({ title: 'Remark', api_slug: 'remark' }))
  await patch('/objects/deals', { singular_noun: 'Deal', plural_noun: 'Business' })
}

/** After the records have values of them. */
export async function archiveParts(service: TestService): Promise<void> {
  const patch = dataOf(service, 'PATCH')
  const of = '/objects/ships/attributes'
  await patch(`${of}/one_select/options/Sloop`, { is_archived: true })
  await patch(`${of}/many_select/options/Sloop`, { is_archived: true })
  await patch(`${of}/one_status/statuses/Scrapped`, { is_archived: true })
  // The ships have equal values of it.
  await patch(`${of}/gone`, { is_unique: true, is_archived: true })
}
