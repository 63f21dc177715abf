/** A person of the floor: its row, and the response in the form of the service. */

import { LOCATION_PARTS } from '#vocabulary/data-model'

/** The provenance of a value that is newer than its record: microseconds and the number of an actor. */
type Origin = readonly [micros: number, actor: number]

type Texts = `${(typeof TEXTS)[number]}_value`
type PlaceColumns = `primary_location_${(typeof LOCATION_PARTS)[number]}`

/** A row from the driver: timestamps as text, arrays as arrays, jsonb parsed. */
export interface PersonRow
  extends Readonly<Record<Texts, string | null>>, Readonly<Record<PlaceColumns, string | null>> {
  readonly id: string
  readonly created_at: string
  readonly created_by: number
  /** By attribute. For email addresses one item per address, null for those as old as the record. */
  readonly provenance: { readonly [attribute: string]: Origin | readonly (Origin | null)[] } | null
  readonly name_full_name: string | null
  readonly name_first_name: string | null
  readonly name_last_name: string | null
  readonly email_addresses_email_address: readonly string[] | null
  readonly email_addresses_original_email_address: readonly (string | null)[] | null
  readonly email_addresses_email_root_domain: readonly string[] | null
  readonly company_target_record_id: string | null
  readonly phone_numbers_phone_number: readonly string[] | null
  readonly phone_numbers_original_phone_number: readonly string[] | null
  readonly phone_numbers_country_code: readonly string[] | null
  readonly associated_deals_target_record_id: readonly string[] | null
  readonly associated_users: readonly string[] | null
  /** The number of an option. */
  readonly lead_status_option: number | null
  readonly lead_value_currency_value: string | null
}

export interface FloorOption {
  /** The slug of the attribute. */
  readonly attribute: string
  readonly id: string
  readonly number: number
  readonly attribute_id: string
  readonly title: string
  readonly is_archived: boolean
  readonly celebration_enabled: boolean
  readonly target_time_in_status: string | null
}

export interface FloorContext {
  readonly workspaceId: string
  readonly objectId: string
  readonly actors: ReadonlyMap<number, { readonly type: string; readonly id: string }>
  readonly options: ReadonlyMap<number, FloorOption>
}

const TEXTS = [
  'description',
  'job_title',
  'avatar_url',
  'angellist',
  'facebook',
  'instagram',
  'linkedin',
  'twitter',
] as const

export function renderPerson(row: PersonRow, context: FloorContext) {
  const { workspaceId, objectId, actors } = context
  const created_at = timestamp(row.created_at)
  const creator = actors.get(row.created_by) ?? { type: 'system', id: null }
  const value = (type: string, origin: Origin | null | undefined, members: object) => ({
    active_from: origin ? timestampOf(origin[0]) : created_at,
    active_until: null,
    created_by_actor: origin ? actors.get(origin[1]) : creator,
    ...members,
    attribute_type: type,
  })
  const originOf = (attribute: string) => row.provenance?.[attribute] as Origin | undefined // the provenance of a single value
  const text = (slug: (typeof TEXTS)[number]) => {
    const content = row[`${slug}_value`]
    return content === null ? [] : [value('text', originOf(slug), { value: content })]
  }
  const references = (target_object: string, ids: readonly string[] | null) =>
    (ids ?? []).map((target_record_id) => value('record-reference', null, { target_object, target_record_id }))
  const emailOrigins = row.provenance?.email_addresses as readonly Origin[] | undefined // one item per address
  return {
    id: { workspace_id: workspaceId, object_id: objectId, record_id: row.id },
    created_at,
    web_url: `http://localhost:8080/my-workspace/person/${row.id}`,
    values: {
      record_id: [value('text', null, { value: row.id })],
      name: row.name_full_name === null ? [] : [value('personal-name', originOf('name'), nameOf(row))],
      email_addresses: emailsOf(row).map((email, index) => value('email-address', emailOrigins?.[index], email)),
      description: text('description'),
      company: references('companies', row.company_target_record_id === null ? null : [row.company_target_record_id]),
      job_title: text('job_title'),
      avatar_url: text('avatar_url'),
      phone_numbers: phonesOf(row).map((phone) => value('phone-number', null, phone)),
      primary_location: hasPlace(row) ? [value('location', originOf('primary_location'), placeOf(row))] : [],
      angellist: text('angellist'),
      facebook: text('facebook'),
      instagram: text('instagram'),
      linkedin: text('linkedin'),
      twitter: text('twitter'),
      ...NEVER_FILLED,
      associated_deals: references('deals', row.associated_deals_target_record_id),
      associated_users: references('users', row.associated_users),
      created_at: [value('timestamp', null, { value: created_at })],
      created_by: [
        value('actor-reference', null, { referenced_actor_type: creator.type, referenced_actor_id: creator.id }),
      ],
      lead_status: leadStatusesOf(row, context).map((option) => value('select', originOf('lead_status'), { option })),
      lead_value: leadValuesOf(row).map((amount) => value('currency', originOf('lead_value'), amount)),
    },
  }
}

const NEVER_FILLED = {
  twitter_follower_count: [],
  first_calendar_interaction: [],
  last_calendar_interaction: [],
  next_calendar_interaction: [],
  first_email_interaction: [],
  last_email_interaction: [],
  first_interaction: [],
  last_interaction: [],
  next_interaction: [],
  strongest_connection_strength_legacy: [],
  strongest_connection_strength: [],
  strongest_connection_user: [],
  phone_calls: [],
}

const nameOf = ({ name_first_name, name_last_name, name_full_name }: PersonRow) => ({
  first_name: name_first_name,
  last_name: name_last_name,
  full_name: name_full_name,
})

/** The driver returns the text "NULL" for a null in an array. */
function itemOf(items: readonly (string | null)[] | null, index: number): string | null | undefined {
  const item = items?.[index]
  return item === 'NULL' ? null : item
}

const emailsOf = (row: PersonRow) =>
  (row.email_addresses_email_address ?? []).map((email_address, index) => {
    const [local = '', domain = ''] = email_address.split('@')
    return {
      original_email_address: itemOf(row.email_addresses_original_email_address, index) ?? email_address,
      email_address,
      email_domain: domain,
      email_root_domain: row.email_addresses_email_root_domain?.[index],
      email_local_specifier: local,
    }
  })

const phonesOf = (row: PersonRow) =>
  (row.phone_numbers_phone_number ?? []).map((phone_number, index) => ({
    original_phone_number: row.phone_numbers_original_phone_number?.[index],
    country_code: row.phone_numbers_country_code?.[index],
    phone_number,
  }))

const hasPlace = (row: PersonRow): boolean =>
  LOCATION_PARTS.some((member) => row[`primary_location_${member}`] !== null)

const placeOf = (row: PersonRow) =>
  Object.fromEntries(LOCATION_PARTS.map((member) => [member, row[`primary_location_${member}`]]))

function leadStatusesOf({ lead_status_option: number }: PersonRow, { workspaceId, objectId, options }: FloorContext) {
  const option = options.get(number ?? 0)
  if (!option) return []
  const { id, attribute_id, title, is_archived } = option
  const ids = { workspace_id: workspaceId, object_id: objectId, attribute_id, option_id: id }
  return [{ id: ids, title, is_archived }]
}

const leadValuesOf = ({ lead_value_currency_value: amount }: PersonRow) =>
  amount === null ? [] : [{ currency_value: Number(amount), currency_code: 'USD' }]

/** Renders `2025-07-22 15:07:00.895+00` for clients. */
export const timestamp = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(9, '0')}Z`

export const timestampOf = (micros: number): string =>
  `${new Date(micros / 1000).toISOString().slice(0, 23)}${String(micros % 1000).padStart(3, '0')}000Z`
