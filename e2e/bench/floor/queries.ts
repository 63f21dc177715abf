/** The queries of the floor: one handwritten statement for each kind of request body. */

import { renderArray } from '#db/connect'
import type { FloorOption } from './person'
import { WHOLE } from './select'
import { EMAIL_ADDRESSES } from './tables'

/** The members of filters of all kinds. */
interface Filter {
  readonly email_addresses: string
  readonly name: { readonly $contains: string }
  readonly lead_status: string
  readonly lead_value: { readonly $gt: number }
  readonly constraints: string
  readonly $and: readonly [
    {
      readonly $or: readonly [
        { readonly job_title: { readonly $contains: string } },
        { readonly primary_location: { readonly locality: string } },
      ]
    },
  ]
  readonly record_id: { readonly $in: readonly string[] }
}

/** The bench sends only well-formed bodies. */
export interface QueryBody {
  readonly filter?: Filter
  readonly sorts?: readonly { readonly attribute: string }[]
  readonly limit: number
  readonly offset: number
  readonly include_count?: true
}

type Numbers = (attribute: string, title: string) => number

interface Kind {
  readonly where: string
  /** The sort before creation and id. */
  readonly sort?: readonly [sql: string, direction: string]
  readonly parameters: (filter: Filter, numberOf: Numbers) => (string | number)[]
}

const IN_INDUSTRY = `p.company_target_record_id in (select c.id from floor.companies c where c.industry_option = $1)`

/** The kinds by the attributes of filter and sort. */
const KINDS: Readonly<Record<string, Kind>> = {
  '': { where: 'true', parameters: () => [] },
  email_addresses: {
    where: `p.id in (select entity_id from floor.uniq where attribute = ${EMAIL_ADDRESSES} and key = $1)`,
    parameters: ({ email_addresses }) => [email_addresses],
  },
  name: { where: 'p.name_full_name ilike $1', parameters: ({ name }) => [`%${name.$contains}%`] },
  'lead_status lead_value by lead_value': {
    where: 'p.lead_status_option = $1 and p.lead_value_currency_value > $2',
    sort: ['p.lead_value_currency_value', 'desc nulls last'],
    parameters: ({ lead_status, lead_value }, numberOf) => [numberOf('lead_status', lead_status), lead_value.$gt],
  },
  'path constraints': {
    where: IN_INDUSTRY,
    parameters: ({ constraints }, numberOf) => [numberOf('industry', constraints)],
  },
  'path constraints by name': {
    where: IN_INDUSTRY,
    sort: ['left(lower(p.name_full_name), 500) collate "C"', 'asc nulls last'],
    parameters: ({ constraints }, numberOf) => [numberOf('industry', constraints)],
  },
  $and: {
    where:
      '(p.job_title_value ilike $1 or p.primary_location_locality = $2) and p.phone_numbers_phone_number is not null',
    parameters: ({
      $and: [
        {
          $or: [title, place],
        },
      ],
    }) => [`%${title.job_title.$contains}%`, place.primary_location.locality],
  },
  record_id: { where: 'p.id = any($1::uuid[])', parameters: ({ record_id }) => [renderArray(record_id.$in)] },
}

export function floorQuery(body: QueryBody, options: ReadonlyMap<number, FloorOption>) {
  const kind = kindOf(body)
  const numberOf: Numbers = (attribute, title) =>
    options.values().find((option) => option.attribute === attribute && option.title === title)?.number ?? 0
  const parameters = body.filter ? kind.parameters(body.filter, numberOf) : []
  return { text: statementOf(kind, body, parameters.length), parameters: [...parameters, body.limit, body.offset] }
}

function kindOf({ filter, sorts = [] }: QueryBody): Kind {
  const name = [...Object.keys(filter ?? {}), ...sorts.map(({ attribute }) => `by ${attribute}`)].join(' ')
  const kind = KINDS[name]
  if (!kind) throw new Error(`The floor knows no query by "${name}".`)
  return kind
}

/** Joins the wide rows last when rows are sorted or many are skipped. */
function statementOf({ where, sort }: Kind, { offset }: QueryBody, parameters: number): string {
  const part = `limit $${parameters + 1} offset $${parameters + 2}`
  if (!sort && offset < 1000) {
    return `select ${WHOLE} from floor.people p where ${where} order by p.created_at, p.id ${part}`
  }
  const [sql, direction] = sort ?? ['null', '']
  const sorting = (key: string, alias: string) =>
    `${sort ? `${key} ${direction}, ` : ''}${alias}.created_at, ${alias}.id`
  return `
    select ${WHOLE} from (
      select p.id, p.created_at, ${sql} as k from floor.people p where ${where} order by ${sorting(sql, 'p')} ${part}
    ) page join floor.people p on p.id = page.id order by ${sorting('page.k', 'page')}`
}
