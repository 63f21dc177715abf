/** The statements of the floor, one per request. */

import type { Sql } from '#db/connect'
import { LOCATION_PARTS } from '#vocabulary/data-model'
import type { PersonRow } from './person'
import { WHOLE } from './select'
import { EMAIL_ADDRESSES, JOB_TITLE } from './tables'
import type { person } from '../data/people'

/** The values of a person. A change has only some of them. */
export type Values = ReturnType<typeof person> & { readonly company?: { readonly target_record_id: string } }

/** The number of the object companies. */
export const COMPANIES = 2

const GET = `select ${WHOLE} from floor.people p where p.id = $1`

const PLACE_COLUMNS = LOCATION_PARTS.map((member) => `primary_location_${member}`)
const COLUMNS = [
  'id',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'name_full_name',
  'name_first_name',
  'name_last_name',
  'description_value',
  'job_title_value',
  'linkedin_value',
  'twitter_value',
  'facebook_value',
  'instagram_value',
  'angellist_value',
  'company_target_object',
  'company_target_record_id',
  ...PLACE_COLUMNS,
  'email_addresses_email_address',
  'email_addresses_original_email_address',
  'email_addresses_email_root_domain',
  'phone_numbers_phone_number',
  'phone_numbers_original_phone_number',
  'phone_numbers_country_code',
]
const EMAILS = COLUMNS.indexOf('email_addresses_email_address') + 1
const CREATE = `
  with keys as (insert into floor.uniq (attribute, key, entity_id)
    select ${EMAIL_ADDRESSES}, email, $1 from unnest($${EMAILS}::text[]) email)
  insert into floor.people as p (${COLUMNS.join(', ')}) values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})
  returning ${WHOLE}`

const NOW = `(extract(epoch from now()) * 1000000)::bigint`

/** $2 is the new title, $3 the actor. `whose` is the condition for the person. */
const changeTitle = (whose: string) => `
  with old as (select id, job_title_value as v, created_at, created_by, provenance from floor.people
    where id = ${whose} for update),
  ended as (insert into floor.history (entity_id, attribute, active_from, active_until, actor, value)
    select id, ${JOB_TITLE}, coalesce(to_timestamp((provenance->'job_title'->>0)::float8 / 1000000), created_at), now(),
      coalesce((provenance->'job_title'->>1)::int, created_by), to_jsonb(v) from old where v is not null)
  update floor.people p set job_title_value = $2, updated_at = now(), updated_by = $3, version = p.version + 1,
    provenance = jsonb_set(coalesce(p.provenance, '{}'), '{job_title}', jsonb_build_array(${NOW}, $3::int))
  from old where p.id = old.id returning ${WHOLE}`
const CHANGE_TITLE = changeTitle('$1')
const CHANGE_TITLE_BY_EMAIL = changeTitle(
  `(select entity_id from floor.uniq where attribute = ${EMAIL_ADDRESSES} and key = $1)`,
)

const ADD_EMAIL = `
  with keys as (insert into floor.uniq (attribute, key, entity_id) values (${EMAIL_ADDRESSES}, $2, $1))
  update floor.people p set updated_at = now(), updated_by = $3, version = p.version + 1,
    email_addresses_email_address = p.email_addresses_email_address || $2::text,
    email_addresses_original_email_address = p.email_addresses_original_email_address || null::text,
    email_addresses_email_root_domain = p.email_addresses_email_root_domain || $4::text,
    provenance = jsonb_set(coalesce(p.provenance, '{}'), '{email_addresses}',
      coalesce(p.provenance->'email_addresses',
        to_jsonb(array_fill(null::int, array[cardinality(p.email_addresses_email_address)])))
      || jsonb_build_array(jsonb_build_array(${NOW}, $3::int)))
  where p.id = $1 returning ${WHOLE}`

export function floorStatements(sql: Sql, actor: number) {
  const run = async (text: string, values: readonly unknown[]) =>
    (await sql.unsafe(text, values as never[], { prepare: true })) as unknown as PersonRow[] // `WHOLE` rows
  return {
    get: (id: string) => run(GET, [id]),
    run,
    changeTitle: (id: string, title: string) => run(CHANGE_TITLE, [id, title, actor]),
    changeTitleByEmail: (email: string, title: string) => run(CHANGE_TITLE_BY_EMAIL, [email, title, actor]),
    addEmail: (id: string, email: string) => run(ADD_EMAIL, [id, email, actor, domainOf(email)]),
    create: (values: Values) => run(CREATE, columnsOf(values, actor)),
  }
}

/** Returns the parameters in the order of `COLUMNS`. */
function columnsOf(values: Values, actor: number): unknown[] {
  const now = new Date().toISOString()
  const { name, email_addresses: emails, phone_numbers: phones, primary_location: place } = values
  return [
    Bun.randomUUIDv7(),
    now,
    actor,
    now,
    actor,
    name.full_name,
    name.first_name,
    name.last_name,
    values.description,
    values.job_title,
    values.linkedin,
    values.twitter,
    values.facebook,
    values.instagram,
    values.angellist,
    values.company ? COMPANIES : null,
    values.company?.target_record_id ?? null,
    ...LOCATION_PARTS.map((member) => place[member]),
    emails,
    emails.map(() => null),
    emails.map(domainOf),
    phones,
    phones,
    phones.map(() => place.country_code),
  ]
}

export const domainOf = (email: string): string => email.slice(email.indexOf('@') + 1)
